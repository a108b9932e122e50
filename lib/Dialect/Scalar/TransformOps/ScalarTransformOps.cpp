// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each transform op names a primitive; one function checks and applies it on the schedule that the
// running script works on.

// An MLIR built without assertions, as distributions ship it, lacks a function that this header
// calls when assertions are on.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define NDEBUG
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#pragma pop_macro("NDEBUG")

#include "ScheduleExtension.h"
#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.h"

#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::scalar::schedule_script;

#define GET_OP_CLASSES
#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.cpp.inc"

/// Applies one step to the schedule of the kernel behind `handle`.
static DiagnosedSilenceableFailure runStep(Operation *op, Value handle,
                                           transform::TransformState &state,
                                           const schedule::Primitive &step) {
  auto *extension = state.getExtension<ScheduleExtension>();
  if (!extension)
    return emitDefiniteFailure(op) << "expected to be run by nautilus-scalar-apply-schedule";
  for (Operation *payload : state.getPayloadOps(handle))
    if (payload != extension->kernel)
      return emitDefiniteFailure(op) << "expected a handle to the kernel of the script";
  if (schedule::Verdict verdict = schedule::checkStep(extension->schedule, step); !verdict)
    return emitDefiniteFailure(op) << verdict.getReason().getText();
  extension->schedule = schedule::applyStep(extension->schedule, step);
  return DiagnosedSilenceableFailure::success();
}

/// All steps read handles and change the schedule.
static void addEffects(Operation *op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(op->getOpOperands(), effects);
  transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// TileOp
//===----------------------------------------------------------------------===//

LogicalResult TileOp::verify() {
  if ((getSize() != nullptr) == getStaticSize().has_value()) // (C1)
    return emitOpError("expected one size, a number or a parameter");
  return success();
}

/// A number as the schedule keeps it: with the name of the knob that gave it.
static FailureOr<schedule::TileSize> getNumber(Operation *op, std::optional<int64_t> known,
                                               Value param, StringRef what,
                                               transform::TransformState &state) {
  if (known)
    return schedule::TileSize::get(*known);
  ArrayRef<Attribute> params = state.getParams(param);
  auto size = params.size() == 1 ? dyn_cast<IntegerAttr>(params.front()) : IntegerAttr();
  if (!size)
    return op->emitOpError("expected an integer as ") << what;
  schedule::TileSize result = schedule::TileSize::get(size.getInt());
  if (auto knob = param.getDefiningOp<transform::tune::KnobOp>())
    result.knob = knob.getName().str();
  return result;
}

DiagnosedSilenceableFailure TileOp::apply(transform::TransformRewriter &,
                                          transform::TransformResults &,
                                          transform::TransformState &state) {
  FailureOr<schedule::TileSize> size =
      getNumber(*this, getStaticSize(), getSize(), "tile size", state);
  if (failed(size))
    return DiagnosedSilenceableFailure::definiteFailure();
  return runStep(*this, getKernel(), state,
                 schedule::Tile{getStatement().str(), getAxis().str(), *size});
}

void TileOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(*this, effects);
}

//===----------------------------------------------------------------------===//
// SplitReduceOp
//===----------------------------------------------------------------------===//

LogicalResult SplitReduceOp::verify() {
  if ((getParts() != nullptr) == getStaticParts().has_value()) // (C1)
    return emitOpError("expected one number of parts, a number or a parameter");
  return success();
}

DiagnosedSilenceableFailure SplitReduceOp::apply(transform::TransformRewriter &,
                                                 transform::TransformResults &,
                                                 transform::TransformState &state) {
  FailureOr<schedule::TileSize> parts =
      getNumber(*this, getStaticParts(), getParts(), "number of parts", state);
  if (failed(parts))
    return DiagnosedSilenceableFailure::definiteFailure();
  return runStep(*this, getKernel(), state,
                 schedule::SplitReduce{getStatement().str(), getAxis().str(), *parts});
}

void SplitReduceOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(*this, effects);
}

//===----------------------------------------------------------------------===//
// The ops that say all in attributes
//===----------------------------------------------------------------------===//

static schedule::Bind getStep(BindOp op) { return {op.getStatement().str(), op.getAxis().str()}; }

static schedule::Fuse getStep(FuseOp op) {
  return {op.getStatement().str(), op.getInto().str(), op.getAxis().str()};
}

static schedule::Roll getStep(RollOp op) {
  return {op.getStatement().str(), op.getInto().str(), op.getAxis().str()};
}

static schedule::Inline getStep(InlineOp op) { return {op.getStatement().str()}; }

static schedule::Clone getStep(CloneOp op) {
  return {op.getStatement().str(), op.getReader().str(), op.getName().str()};
}

static schedule::SplitMask getStep(SplitMaskOp op) {
  return {op.getStatement().str(), op.getAxis().str()};
}

static schedule::Configure getStep(ConfigureOp op) {
  LaunchAttr options = op.getOptions();
  return {op.getStatement().str(),
          {options.getWarps(), options.getStages(), options.getPersistent(), options.getOrder()}};
}

// Interface methods are members that the op declares, so each op has to define them.
#define NAUTILUS_DEFINE_STEP(StepOp)                                                               \
  DiagnosedSilenceableFailure StepOp::apply(transform::TransformRewriter &,                        \
                                            transform::TransformResults &,                         \
                                            transform::TransformState &state) {                    \
    return runStep(*this, getKernel(), state, getStep(*this));                                     \
  }                                                                                                \
  void StepOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {               \
    addEffects(*this, effects);                                                                    \
  }

NAUTILUS_DEFINE_STEP(BindOp)
NAUTILUS_DEFINE_STEP(FuseOp)
NAUTILUS_DEFINE_STEP(InlineOp)
NAUTILUS_DEFINE_STEP(CloneOp)
NAUTILUS_DEFINE_STEP(RollOp)
NAUTILUS_DEFINE_STEP(SplitMaskOp)
NAUTILUS_DEFINE_STEP(ConfigureOp)

#undef NAUTILUS_DEFINE_STEP

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {
class ScalarTransformExtension
    : public transform::TransformDialectExtension<ScalarTransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScalarTransformExtension)

  void init() {
    declareGeneratedDialect<ScalarDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void mlir::nautilus::scalar::registerTransformOps(DialectRegistry &registry) {
  registry.addExtensions<ScalarTransformExtension>();
}
