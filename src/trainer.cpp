#include "src/trainer.h"
#include "src/common/error.h"

namespace orbit {

int train(const Config&, const TrainOptions& options) {
  if (options.dry_run) return 0;
  throw UserError("training is not in this version yet; --dry-run checks a config");
}

}  // namespace orbit
