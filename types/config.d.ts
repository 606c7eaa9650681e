import { Share } from './study'
import cannonade = require('./index')

/** The options of a run in a config file, including those of the command's output. */
export interface RunConfig extends cannonade.CommandOptions {
  url?: string | URL | readonly string[] | undefined
  /** A curl command line with the request; other options override it. */
  curl?: string | undefined
  /** A file with saved results to compare with. */
  baseline?: string | undefined
  /** With `baseline`: the maximum regression; fail if the result is certain to be worse by more. */
  maxRegression?: Share | undefined
  /** Whether an inconclusive check fails, too. @default whether the environment variable CI is set */
  strict?: boolean | undefined
}

export interface TargetConfig extends cannonade.RunOptions {
  url?: string | URL | readonly string[] | undefined
  /** A curl command line with the request; other options override it. */
  curl?: string | undefined
}

/** A config file with entries for several commands. */
export interface CommandsConfig {
  /** Options that all runs share. */
  run?: cannonade.RunConfig | undefined
  compare?: cannonade.CompareSettings & { targets?: readonly cannonade.TargetConfig[] | undefined } | undefined
  sweep?: Partial<cannonade.SweepSettings> & { targets?: cannonade.TargetConfig | readonly cannonade.TargetConfig[] | undefined } | undefined
  capacity?: cannonade.CapacitySettings & { targets?: cannonade.TargetConfig | undefined } | undefined
  jamming?: cannonade.JammingSettings & { targets?: cannonade.TargetConfig | undefined } | undefined
}

/** What a config file exports, directly or as the return value of a function (see `ConfigSource`). */
export type Config = cannonade.RunConfig | cannonade.CommandsConfig
export type ConfigSource = Config | (() => Config | Promise<Config>)

export interface OpenAPISettings {
  /** `/pets`, `'POST /pets'`, or with values `/pets/5?limit=3`. @default all GET and HEAD operations */
  paths?: string | readonly string[] | undefined
  /** The target. @default the first server of the document */
  url?: string | URL | undefined
  /** Whether the document may refer to files below its own folder. Their contents are sent to the server. @default false */
  allowFiles?: boolean | undefined
}

/** Options for `run`. */
export interface OpenAPIOptions {
  /** undefined if neither the settings nor the document have it. */
  url: string | undefined
  requests: cannonade.Request[]
}
