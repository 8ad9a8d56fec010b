import type { Tx } from '@vertical-kit/core-audit/database'
import type { ActionExecution, DocumentState, Fields, LifecycleSteps } from '@vertical-kit/document-actions'
import type { DisabledReason } from '@vertical-kit/document-actions/contract'
import { tradeDocumentStore } from '../documents/document-store.ts'
import type { DocumentType } from '../documents/document-types.ts'
import { reversePostings } from '../ledger/commands/reverse-postings.ts'
import { writePosting } from '../ledger/commands/write-posting.ts'
import type { Posting } from '../ledger/posting.ts'
import { loadEffects } from '../ledger/queries/load-effects.ts'
import { postReasons } from './policy.ts'

/** Returns the options that all types of the vertical share: the store and the loading of effects on the books. */
export const bookedType = <F extends Fields>({ code, plural, fields }: DocumentType<F>) => ({
  ...{ typeCode: code, plural, fields, loadEffects },
  store: tradeDocumentStore,
})

/** The rules of a document type that writes to the books. */
export interface BookedLifecycle<F extends Fields, Facts> {
  /** Returns the entries that posting writes. Pure, because we also call it to check whether a document can be posted. */
  readonly postingOf: (document: DocumentState<F>) => Posting
  /** Returns the reasons against posting. Default: {@link postReasons}. */
  readonly postReasons?: (posting: Posting) => readonly DisabledReason[]
  /** Returns the reasons against unposting. Default: none. */
  readonly unpostReasons?: (facts: Facts) => readonly DisabledReason[]
  /** Returns the reasons against reposting. Default: the reasons against unposting. */
  readonly repostReasons?: (facts: Facts) => readonly DisabledReason[]
  /** Runs on unposting, before the postings of the document are reversed. */
  readonly beforeUnpost?: (tx: Tx, execution: ActionExecution<F, Facts>) => Promise<void>
}

/**
 * Defines the lifecycle of a document that writes to the books. Posting writes a posting, unposting reverses the postings
 * in effect, and reposting does both.
 */
export function bookedLifecycle<F extends Fields, Facts>(
  rules: BookedLifecycle<F, Facts>,
): LifecycleSteps<F, Facts> {
  const { postingOf, unpostReasons = () => [], repostReasons = unpostReasons } = rules
  const reasonsToPost = rules.postReasons ?? postReasons
  return {
    post: {
      disabledReasons: (_facts, document) => reasonsToPost(postingOf(document)),
      async handle(tx, execution) {
        await writePosting(tx, { ...execution, actionCode: 'post' }, postingOf(execution.document))
        return undefined
      },
    },
    unpost: {
      disabledReasons: unpostReasons,
      async handle(tx, execution) {
        await rules.beforeUnpost?.(tx, execution)
        await reversePostings(tx, { ...execution, actionCode: 'unpost' })
        return undefined
      },
    },
    repost: {
      disabledReasons: repostReasons,
      async handle(tx, execution) {
        const cause = { ...execution, actionCode: 'repost' }
        // Both statements are sent together and run in this order, so only the earlier postings are reversed.
        await Promise.all([
          reversePostings(tx, cause),
          writePosting(tx, cause, postingOf(execution.document)),
        ])
        return undefined
      },
    },
    mark_for_deletion: {},
    unmark_for_deletion: {},
  }
}
