import { Share } from './study'
import cannonade = require('./index')

/** The options of a run in a config file, and how the command shows it. */
export interface RunConfig extends cannonade.CommandOptions {
  url?: string | URL | readonly string[] | undefined
  /** A file with saved results to compare with. */
  baseline?: string | undefined
  /** With `baseline`: fail where the result is shown to be worse by more. */
  maxRegression?: Share | undefined
  /** Whether what could not be judged fails as well. @default whether this is CI */
  strict?: boolean | undefined
}

export interface TargetConfig extends cannonade.RunOptions {
  url?: string | URL | readonly string[] | undefined
}

/** What several commands have in a config file, each under its name. */
export interface CommandsConfig {
  /** What all runs have in common. */
  run?: cannonade.RunConfig | undefined
  compare?: cannonade.CompareSettings & { targets?: readonly cannonade.TargetConfig[] | undefined } | undefined
  sweep?: Partial<cannonade.SweepSettings> & { targets?: cannonade.TargetConfig | readonly cannonade.TargetConfig[] | undefined } | undefined
  capacity?: cannonade.CapacitySettings & { targets?: cannonade.TargetConfig | undefined } | undefined
  jamming?: cannonade.JammingSettings & { targets?: cannonade.TargetConfig | undefined } | undefined
}

/** What a config file exports; or a function that returns it. */
export type Config = cannonade.RunConfig | cannonade.CommandsConfig
export type ConfigSource = Config | (() => Config | Promise<Config>)

export interface OpenAPISettings {
  /** `/pets`, `'POST /pets'`, or with values `/pets/5?limit=3`. @default all GET and HEAD */
  paths?: string | readonly string[] | undefined
  /** Where the server is. @default the first server of the document */
  url?: string | URL | undefined
  /** Whether the document may refer to files below its own folder. What they hold is sent to the server. @default false */
  allowFiles?: boolean | undefined
}

/** Options for `run`. */
export interface OpenAPIOptions {
  /** undefined where neither the settings nor the document say it. */
  url: string | undefined
  requests: cannonade.Request[]
}
