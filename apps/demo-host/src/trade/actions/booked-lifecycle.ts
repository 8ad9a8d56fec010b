import type { Tx } from '@vertical-kit/core-audit/database'
import {
  type ActionDefinition,
  type ActionExecution,
  type DocumentState,
  type LifecycleStep,
  lifecycleActions,
} from '@vertical-kit/document-actions'
import type { DisabledReason } from '@vertical-kit/document-actions/contract'
import { reversePostings } from '../ledger/commands/reverse-postings.ts'
import { writePosting } from '../ledger/commands/write-posting.ts'
import type { Posting } from '../ledger/posting.ts'
import { postReasons } from './policy.ts'

/** How a type of document is in the books. */
export interface BookedLifecycle<Facts> {
  /** What posting writes. Pure; asked before it can be posted, too. */
  postingOf(document: DocumentState): Posting
  /** What speaks against posting it; {@link postReasons} when absent. */
  postReasons?(posting: Posting): readonly DisabledReason[]
  /** What speaks against taking it back; nothing when absent. */
  unpostReasons?(facts: Facts): readonly DisabledReason[]
  /** What speaks against posting it again; what speaks against unposting when absent. */
  repostReasons?(facts: Facts): readonly DisabledReason[]
  /** What unposting does before everything the document has in the books is reversed. */
  beforeUnpost?(tx: Tx, execution: ActionExecution<Facts, undefined>): Promise<void>
}

/**
 * The whole lifecycle of a document that is in the books: posting writes a posting, unposting reverses what is in
 * effect, posting again does both.
 */
export function bookedLifecycle<Facts>(rules: BookedLifecycle<Facts>): readonly ActionDefinition<Facts>[] {
  const { postingOf, unpostReasons = () => [], repostReasons = unpostReasons } = rules
  const reasonsToPost = rules.postReasons ?? postReasons
  const unpost: LifecycleStep<Facts> = {
    disabledReasons: (facts) => unpostReasons(facts),
    async handle(tx, execution) {
      await rules.beforeUnpost?.(tx, execution)
      await reversePostings(tx, { ...execution, actionCode: 'unpost' })
      return undefined
    },
  }
  return lifecycleActions<Facts>({
    post: {
      disabledReasons: (_facts, document) => reasonsToPost(postingOf(document)),
      async handle(tx, execution) {
        await writePosting(tx, { ...execution, actionCode: 'post' }, postingOf(execution.document))
        return undefined
      },
    },
    unpost,
    repost: {
      disabledReasons: (facts) => repostReasons(facts),
      async handle(tx, execution) {
        const cause = { ...execution, actionCode: 'repost' }
        // Sent together, run in this order: what is reversed is what was there before.
        await Promise.all([
          reversePostings(tx, cause),
          writePosting(tx, cause, postingOf(execution.document)),
        ])
        return undefined
      },
    },
    mark_for_deletion: {},
    unmark_for_deletion: {},
  })
}
