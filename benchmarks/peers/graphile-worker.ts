/** Drains COUNT jobs of graphile-worker that do nothing, with its settings for the highest throughput. See `drain.ts`. */
import { makeWorkerUtils, run } from 'graphile-worker'
import { serveDrains } from './drain.ts'

const connectionString = process.env.DATABASE_URL
const utils = await makeWorkerUtils({ connectionString })
await utils.migrate()

serveDrains({
  fill: (count) =>
    utils.withPgClient((client) =>
      client.query(
        `select graphile_worker.add_jobs(array(
           select json_populate_record(null::graphile_worker.job_spec, '{"identifier": "nothing", "payload": {}}')
           from generate_series(1, $1)
         ))`,
        [count],
      ),
    ),
  async drain(count) {
    let left = count
    const emptied = Promise.withResolvers<void>()
    const runner = await run({
      taskList: {
        nothing() {
          left -= 1
          if (left === 0) emptied.resolve()
        },
      },
      noHandleSignals: true,
      // The settings of the benchmark in its repository.
      preset: {
        worker: {
          connectionString,
          concurrentJobs: 24,
          maxPoolSize: 25,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    })
    await emptied.promise
    // Waits until the completions are stored.
    await runner.stop()
  },
})
