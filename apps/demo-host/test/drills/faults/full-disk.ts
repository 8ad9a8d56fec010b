import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Drill } from '../drill.ts'
import type { World } from '../world.ts'

/** Fills the disk of the database. PostgreSQL refuses to write, and ends itself when its log cannot grow. */
export const fullDisk: Drill = {
  name: 'full-disk',
  title: "fills the database's disk, and frees it after clients got 503; needs root",
  rounds: 5,
  losesConnections: false,
  world: { databaseDiskMiB: 300 },
  async fault(world) {
    const filler = join(world.databaseDisk ?? '', 'filler')
    await fill(filler)
    await untilRefusedOften(world)
    await rm(filler)
    // Like an operator: the server may have stopped, because it could not recover without space.
    await world.postgres.restart({ mode: 'immediate' })
    return { 'full disks': 1 }
  },
}

/** Writes until there is no space. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (const zeros = Buffer.alloc(65_536); ; ) await file.writeFile(zeros)
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ENOSPC') throw error
  } finally {
    await file.close()
  }
}

/** PostgreSQL can write for a while, because its log has free segments. */
async function untilRefusedOften({ balancer }: World): Promise<void> {
  const refusals = (): number => balancer.traffic.statuses.get(503) ?? 0
  const wanted = refusals() + 50
  while (refusals() < wanted) await delay(20)
}
