import cannonade = require('..')

/** Like `aggregateResult` of the package; a single result may also be given without an array. */
declare function aggregateResult (
  results: cannonade.MergeableResult | readonly cannonade.MergeableResult[],
  options?: cannonade.RunOptions & { url?: string | URL | undefined }
): cannonade.Measured

export = aggregateResult
