// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes steps as a script, and runs a script on a schedule with upstream's interpreter.

#include "ScheduleExtension.h"
#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.h"

#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::scalar::schedule_script;

static std::string getScheduleName(KernelOp kernel) {
  return (kernel.getSymName() + "_schedule").str();
}

transform::NamedSequenceOp scalar::findSchedule(KernelOp kernel) {
  return SymbolTable::lookupNearestSymbolFrom<transform::NamedSequenceOp>(
      kernel->getParentOp(), StringAttr::get(kernel.getContext(), getScheduleName(kernel)));
}

schedule::SearchOptions scalar::getSearchOptions(KernelOp kernel) {
  schedule::SearchOptions options;
  if (auto parameters = kernel->getAttrOfType<DictionaryAttr>(kParametersAttrName))
    for (NamedAttribute parameter : parameters)
      if (auto size = dyn_cast<IntegerAttr>(parameter.getValue()))
        options.pinned[parameter.getName().getValue()] = size.getInt();
  return options;
}

namespace {
/// Writes one op per step.
struct StepWriter {
  OpBuilder &builder;
  Location loc;
  Value kernel;

  /// A selected knob, with the sizes that a tuner may try in its place.
  Value makeKnob(const schedule::TileSize &size) {
    SmallVector<int64_t> sizes = {16, 32, 64, 96, 128, 192, 256};
    if (!llvm::is_contained(sizes, size.value))
      sizes.insert(llvm::lower_bound(sizes, size.value), size.value);
    return transform::tune::KnobOp::create(
        builder, loc, transform::AnyParamType::get(builder.getContext()),
        builder.getStringAttr(size.knob), builder.getI64ArrayAttr(sizes),
        builder.getI64IntegerAttr(size.value));
  }

  void operator()(const schedule::Tile &step) {
    Value knob = step.size.knob.empty() ? Value() : makeKnob(step.size);
    TileOp::create(builder, loc, kernel, builder.getStringAttr(step.statement),
                   builder.getStringAttr(step.axis), knob,
                   knob ? IntegerAttr() : builder.getI64IntegerAttr(step.size.value));
  }
  void operator()(const schedule::Bind &step) {
    BindOp::create(builder, loc, kernel, step.statement, step.axis);
  }
  void operator()(const schedule::Fuse &step) {
    FuseOp::create(builder, loc, kernel, step.statement, step.into, step.axis);
  }
  void operator()(const schedule::Roll &step) {
    RollOp::create(builder, loc, kernel, step.statement, step.into, step.axis);
  }
  void operator()(const schedule::Inline &step) {
    InlineOp::create(builder, loc, kernel, step.statement);
  }
  void operator()(const schedule::SplitMask &step) {
    SplitMaskOp::create(builder, loc, kernel, step.statement, step.axis);
  }
  void operator()(const schedule::SplitReduce &step) {
    SplitReduceOp::create(builder, loc, kernel, builder.getStringAttr(step.statement),
                          builder.getStringAttr(step.axis), Value(),
                          builder.getI64IntegerAttr(step.parts.value));
  }
  void operator()(const schedule::Configure &step) {
    const schedule::LaunchOptions &options = step.options;
    ConfigureOp::create(builder, loc, kernel, step.statement,
                        LaunchAttr::get(builder.getContext(), options.warps, options.stages,
                                        options.persistent, options.order));
  }
  void operator()(const schedule::Clone &step) {
    CloneOp::create(builder, loc, kernel, step.statement, step.reader, step.name);
  }
};
} // namespace

transform::NamedSequenceOp scalar::writeSchedule(KernelOp kernel,
                                                 ArrayRef<schedule::Primitive> steps) {
  auto module = kernel->getParentOfType<ModuleOp>();
  module->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                  UnitAttr::get(kernel.getContext()));
  OpBuilder builder(kernel);
  builder.setInsertionPointAfter(kernel);
  Type handle = transform::AnyOpType::get(kernel.getContext());
  auto script = transform::NamedSequenceOp::create(
      builder, kernel.getLoc(), getScheduleName(kernel), handle, TypeRange(),
      [&](OpBuilder &body, Location loc, BlockArgument argument) {
        for (const schedule::Primitive &step : steps)
          std::visit(StepWriter{body, loc, argument}, step);
        transform::YieldOp::create(body, loc);
      });
  script.setArgAttr(0, transform::TransformDialect::kArgReadOnlyAttrName, builder.getUnitAttr());
  return script;
}

/// Selects open knobs from the kernel's parameters. A knob that stays open is an error at the knob.
static LogicalResult selectKnobs(KernelOp kernel, transform::NamedSequenceOp script) {
  auto parameters = kernel->getAttrOfType<DictionaryAttr>(kParametersAttrName);
  WalkResult result = script.walk([&](transform::tune::KnobOp knob) -> WalkResult {
    if (knob.getSelected())
      return WalkResult::advance();
    Attribute value = parameters ? parameters.get(knob.getName()) : Attribute();
    if (!value)
      return knob.emitOpError("expected a selected option, or a value for it in '")
             << kParametersAttrName << "' of kernel @" << kernel.getSymName();
    auto options = dyn_cast<ArrayAttr>(knob.getOptions());
    if (options && !llvm::is_contained(options, value))
      return knob.emitOpError("expected one of ")
             << options << " from '" << kParametersAttrName << "' of kernel @"
             << kernel.getSymName() << ", got " << value;
    knob.setSelectedAttr(value);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

FailureOr<schedule::State> scalar::runSchedule(KernelOp kernel, transform::NamedSequenceOp script,
                                               schedule::State state) {
  if (failed(selectKnobs(kernel, script)))
    return failure();
  schedule::State result;
  auto begin = [&](transform::TransformState &transformState) {
    transformState.addExtension<ScheduleExtension>(kernel.getOperation(), std::move(state));
  };
  auto end = [&](transform::TransformState &transformState) {
    result = std::move(transformState.getExtension<ScheduleExtension>()->schedule);
    return success();
  };
  if (failed(transform::applyTransforms(
          kernel, cast<transform::TransformOpInterface>(script.getOperation()), {},
          transform::TransformOptions().enableExpensiveChecks(false),
          /*enforceToplevelTransformOp=*/false, begin, end)))
    return failure();
  return result;
}
