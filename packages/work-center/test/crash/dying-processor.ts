// A processor that dies: `node --conditions=@vertical-kit/source dying-processor.ts <database url> <moment> <how>`. It
// kills its own process at a moment, counted from 0: at once, or in the middle of what follows the moment.

import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { makeProcessor } from '../desk.ts'
import { eventHandlers } from './event-handlers.ts'
import { observeMoments } from './moments.ts'

const [url = '', moment = '', how = ''] = process.argv.slice(2)
const kill = () => process.kill(process.pid, 'SIGKILL')
let count = 0
const database = observeMoments(createDatabase({ ...databaseDefaults, url, poolMax: 1 }), () => {
  if (count === Number(moment)) {
    if (how === 'at once') kill()
    // The driver writes in the next turn of the event loop: what follows is sent, and its answer never read.
    setImmediate(() => setImmediate(kill))
  }
  count += 1
})
await makeProcessor(database, eventHandlers).run()
