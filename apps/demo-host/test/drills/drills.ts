import type { Drill } from './drill.ts'
import { clockSkew } from './faults/clock-skew.ts'
import { connectionKills, databaseKill, silentDatabase } from './faults/database.ts'
import { failover } from './faults/failover.ts'
import { fullDisk } from './faults/full-disk.ts'
import { hostKill, rollingRestart } from './faults/hosts.ts'
import { pipelining } from './faults/pipelining.ts'
import { restore } from './faults/restore.ts'
import { lyingStore, unreachableStore } from './faults/store.ts'

/** All drills, in the order of `pnpm drill all`. */
export const drills: readonly Drill[] = [
  hostKill,
  rollingRestart,
  databaseKill,
  connectionKills,
  silentDatabase,
  failover,
  fullDisk,
  lyingStore,
  unreachableStore,
  restore,
  pipelining,
  clockSkew,
]
