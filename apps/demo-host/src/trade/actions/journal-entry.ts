import { documentType } from '@vertical-kit/document-actions'
import { tradeDocumentStore } from '../documents/document-store.ts'
import { generalJournalEntry } from '../documents/document-types.ts'
import { journalPosting } from '../ledger/posting-rules.ts'
import { loadEffects } from '../ledger/queries/load-effects.ts'
import { bookedLifecycle } from './booked-lifecycle.ts'
import { journalPostReasons } from './policy.ts'

/** What can be done with journal entries. */
export const journalEntryActions = documentType({
  typeCode: generalJournalEntry.code,
  plural: generalJournalEntry.plural,
  store: tradeDocumentStore,
  loadEffects,
  actions: bookedLifecycle<undefined>({ postingOf: journalPosting, postReasons: journalPostReasons }),
})
