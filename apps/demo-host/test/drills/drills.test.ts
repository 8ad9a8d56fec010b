import { expect, test } from 'vitest'
import { drills } from './drills.ts'
import { finish, runRounds } from './run-drill.ts'
import { openWorld } from './world.ts'

test('all invariants hold after one round of every drill that needs only two hosts, a database and a store', async () => {
  const world = await openWorld()
  try {
    for (const drill of drills.filter((one) => one.world === undefined)) await runRounds(world, drill, 1)
    expect(await finish(world)).not.toMatchObject({ 'actions executed': 0 })
  } finally {
    await world.close()
  }
})
