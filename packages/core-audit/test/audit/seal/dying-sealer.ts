// A host that seals audit events and kills itself: `node dying-sealer.ts <url> <statement> <how>`. It dies before it sends the
// statement with this number, or `during` it: the statement is sent, and its response is not read.

import { createDatabase, type Database, databaseDefaults, type Tx } from '@vertical-kit/core-audit/database'
import { sealingWorker } from './sealed-log.ts'

const [url = '', statement = '', how = ''] = process.argv.slice(2)
const kill = () => process.kill(process.pid, 'SIGKILL')
let count = 0

const database = createDatabase({ ...databaseDefaults, url, poolMax: 1 })
const dying: Database = {
  ...database,
  transaction: (work) => database.transaction((tx) => work(dyingTx(tx))),
}

const dyingTx = (tx: Tx): Tx => ({
  ...tx,
  execute(query) {
    count += 1
    if (count === Number(statement)) {
      if (how === 'before') kill()
      // The driver sends the statement in the next turn of the event loop.
      setImmediate(() => setImmediate(kill))
    }
    return tx.execute(query)
  },
})

const worker = sealingWorker(dying)
await worker.runOnce(new AbortController().signal)
await worker.runOnce(new AbortController().signal)
await database.close()
