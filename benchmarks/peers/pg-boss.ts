/**
 * Drains COUNT jobs of pg-boss that do nothing. Four loops fetch and complete 1,000 jobs at a time: this is faster than its
 * workers, which wait at least half a second between two fetches. See `drain.ts`.
 */
import { PgBoss } from 'pg-boss'
import { serveDrains } from './drain.ts'

const queue = 'nothing'
const boss = new PgBoss({ connectionString: process.env.DATABASE_URL, supervise: false, schedule: false })
await boss.start()
await boss.createQueue(queue)

serveDrains({
  async fill(count) {
    for (let added = 0; added < count; added += 5_000) {
      const jobs = Array.from({ length: Math.min(5_000, count - added) }, () => ({ data: {} }))
      await boss.insert(queue, jobs)
    }
  },
  async drain(count) {
    let left = count
    const loop = async () => {
      while (left > 0) {
        const jobs = await boss.fetch(queue, { batchSize: 1_000 })
        if (jobs.length === 0) return
        await boss.complete(
          queue,
          jobs.map(({ id }) => id),
        )
        left -= jobs.length
      }
    }
    await Promise.all([loop(), loop(), loop(), loop()])
  },
})
