import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { kitTx } from '@vertical-kit/core-audit/drizzle'
import { expect, onTestFinished, test } from 'vitest'
import { type Application, applications, driverNames } from '../../../../vitest.applications.ts'
import { allPermissions, execute, openShopHost } from '../harness.ts'
import { answerOf, expectOneExecution, replayOf } from './answers.ts'
import { effectsOf, onePosting } from './effects.ts'

/** Runs transactions and single statements of the kit inside transactions of the application. */
const inTransactionsOf =
  ({ transaction }: Application) =>
  (database: Database): Database => ({
    read: database.read,
    transaction: (work) => transaction((tx) => work(kitTx(tx))),
    statement: (work) => transaction((tx) => work(kitTx(tx))),
    append: (work) => transaction((tx) => work(kitTx(tx))),
    ping: database.ping,
    onAudited: database.onAudited,
    newId: database.newId,
    clock: database.clock,
    get load() {
      return database.load
    },
    close: database.close,
  })

test.each(driverNames)(
  'with %s, if ten executions at two replicas share one key, exactly one posts the document',
  async (driver) => {
    const host = await openShopHost()
    onTestFinished(() => host.close())
    const subject = newId()
    await host.as({ subject, permissions: allPermissions })
    const clerkOfReplica = async () => {
      const observe = inTransactionsOf(applications[driver](host.databaseUrl))
      const replica = await openShopHost({ databaseUrl: host.databaseUrl, observe })
      onTestFinished(() => replica.close())
      return replica.as({ subject })
    }
    const [here, there] = await Promise.all([clerkOfReplica(), clerkOfReplica()])
    const invoice = await host.addDocument()
    const key = newId()
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        execute(index % 2 === 0 ? here : there, invoice, 'post', { key }),
      ),
    )
    const first = expectOneExecution(await Promise.all(responses.map(answerOf)))
    expect(await effectsOf(host.database, invoice)).toEqual(onePosting)
    expect(await answerOf(await execute(there, invoice, 'post', { key }))).toEqual(replayOf(first))
  },
)
