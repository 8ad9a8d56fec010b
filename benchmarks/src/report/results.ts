import type { Finding } from '../finding.ts'
import type { Machine } from './machine.ts'

/** The conditions under which figures were measured. */
export interface Conditions {
  readonly machine: Machine
  /** The command line that reproduces the figures. */
  readonly command: string
}

/** The results of a comparison with targets. */
export interface TableResults extends Conditions {
  readonly findings: readonly Finding[]
}

/** The median response time of an operation with a number of rows. */
export interface GrowthPoint {
  readonly rows: number
  readonly p50Ms: number
  readonly p95Ms: number
}

/** The results of a growth run. The points of an operation are ordered by rows. */
export interface GrowthResults extends Conditions {
  readonly operations: readonly { readonly name: string; readonly points: readonly GrowthPoint[] }[]
}

/** A function or a statement with its share of the time. */
export interface Hotspot {
  readonly name: string
  /** The share of the busy CPU time of the host, or of the execution time of all statements; 0 to 1. */
  readonly share: number
  /** The time per request. */
  readonly microseconds: number
  /** The number of calls per request; only for statements. */
  readonly calls?: number
}

/** The profile of one case under load. */
export interface Profile {
  readonly case: string
  readonly requestsPerSecond: number
  readonly packages: readonly Hotspot[]
  readonly functions: readonly Hotspot[]
  readonly statements: readonly Hotspot[]
}

export interface ProfileResults extends Conditions {
  readonly profiles: readonly Profile[]
}
