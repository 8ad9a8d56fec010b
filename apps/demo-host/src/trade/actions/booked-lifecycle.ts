import type { Tx } from '@vertical-kit/core-audit/database'
import type {
  ActionExecution,
  DisabledReasonInput,
  DocumentState,
  Fields,
  LifecycleSteps,
} from '@vertical-kit/document-actions'
import { tradeDocumentStore } from '../documents/document-store.ts'
import type { DocumentType } from '../documents/document-types.ts'
import { reversePostings } from '../ledger/commands/reverse-postings.ts'
import { writePosting } from '../ledger/commands/write-posting.ts'
import type { Posting } from '../ledger/posting.ts'
import { loadEffects } from '../ledger/queries/load-effects.ts'
import { postReasons } from './policy.ts'

/** Returns the options that all document types of the vertical share, including the store and `loadEffects`. */
export const bookedType = <F extends Fields>({ code, plural, fields }: DocumentType<F>) => ({
  ...{ typeCode: code, plural, fields, loadEffects },
  store: tradeDocumentStore,
})

/** The rules of a document type that writes to the books. */
export interface BookedLifecycle<F extends Fields, Facts> {
  /** Returns the posting of a document. Must be pure, because the check for disabled reasons also calls this function. */
  readonly postingOf: (document: DocumentState<F>) => Posting
  /** Returns the reasons why the document cannot be posted. Default: {@link postReasons}. */
  readonly postReasons?: (posting: Posting) => readonly DisabledReasonInput[]
  /** Returns the reasons why the document cannot be unposted. Default: no reasons. */
  readonly unpostReasons?: (facts: Facts) => readonly DisabledReasonInput[]
  /** Returns the reasons why the document cannot be reposted. Default: the result of `unpostReasons`. */
  readonly repostReasons?: (facts: Facts) => readonly DisabledReasonInput[]
  /** Runs when a document is unposted, before its postings are reversed. */
  readonly beforeUnpost?: (tx: Tx, execution: ActionExecution<F, Facts>) => Promise<void>
}

/**
 * Defines the lifecycle of a document type that writes to the books. The action `post` writes a posting, `unpost` reverses
 * all postings in effect, and `repost` reverses them and writes a new posting.
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
        // Both statements are sent together. They run in this order, so the new posting is not reversed.
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
