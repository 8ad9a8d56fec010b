// An outbox processor that kills itself: `node --conditions=@vertical-kit/source dying-processor.ts <url> <moment>
// <how>`. `<moment>` is the zero-based index of the moment. The processor dies immediately, or while the next statement
// is in flight.

import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { makeProcessor } from '../desk.ts'
import { eventHandlers } from './event-handlers.ts'
import { observeMoments } from './moments.ts'

const [url = '', moment = '', how = ''] = process.argv.slice(2)
const kill = () => process.kill(process.pid, 'SIGKILL')
let count = 0
const database = observeMoments(createDatabase({ ...databaseDefaults, url, poolMax: 1 }), () => {
  if (count === Number(moment)) {
    if (how === 'now') kill()
    // The driver sends the statement in the next turn of the event loop. The process dies before it reads the response.
    setImmediate(() => setImmediate(kill))
  }
  count += 1
})
await makeProcessor(database, eventHandlers).run()
