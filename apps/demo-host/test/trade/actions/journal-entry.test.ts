import { expect, test } from 'vitest'
import { act, effects, entriesInShort, execute, reasons } from '../../actions.ts'
import { expectAnswer } from '../../answers.ts'
import { openTradeHost } from '../harness.ts'
import { draft } from './documents.ts'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')

const entry = (account: string, debit: string, credit: string) => ({ account, debit, credit })
const journalEntry = (...entries: readonly object[]) => draft(clerk, 'general_journal_entry', { entries })

test('posting a journal entry writes all of its entries except entries with the amount zero', async () => {
  const document = await journalEntry(
    entry('Rent', '0.10', '0.00'),
    entry('Nothing', '0.00', '0.00'),
    entry('Heating', '0.20', '0.00'),
    entry('Bank', '0.00', '0.30'),
  )
  await act(clerk, document, 'post')
  expect(await entriesInShort(clerk, document)).toEqual([
    'Rent 0.10 0.00',
    'Heating 0.20 0.00',
    'Bank 0.00 0.30',
  ])
  expect((await effects(clerk, document)).registerMovements).toEqual([])
  await act(clerk, document, 'unpost')
  expect(await entriesInShort(clerk, document)).toEqual([])
})

test.each([
  ['debits and credits differ by a cent', [entry('a', '0.30', '0.00'), entry('b', '0.00', '0.29')]],
  ['all amounts are zero', [entry('a', '0.00', '0.00'), entry('b', '0.00', '0.00')]],
])('a journal entry cannot be posted while %s', async (_, entries) => {
  const document = await journalEntry(...entries)
  expect(await reasons(clerk, document)).toEqual({
    post: ['trade.entries_unbalanced'],
    unpost: ['document.not_posted'],
    repost: ['document.not_posted'],
    mark_for_deletion: [],
    unmark_for_deletion: ['document.not_marked_for_deletion'],
  })
  const refusal = await expectAnswer(
    execute(clerk, document, 'post', { expectedVersion: 1 }),
    409,
    'document_action.unavailable',
  )
  expect(refusal['context']).toEqual({ reasonCodes: ['trade.entries_unbalanced'] })
  expect((await act(clerk, document, 'mark_for_deletion')).document.status).toBe('MarkedForDeletion')
  expect((await act(clerk, document, 'unmark_for_deletion')).document.status).toBe('Draft')
})

test('the target of audit events of a journal entry has the kind GeneralJournalEntry', async () => {
  const document = await journalEntry(entry('a', '1.00', '0.00'), entry('b', '0.00', '1.00'))
  await act(clerk, document, 'post')
  const { items } = await expectAnswer(
    clerk(
      'GET',
      `/api/audit/events?kind=GeneralJournalEntry&typeCode=general_journal_entry&objectId=${document.id}`,
    ),
    200,
  )
  expect(items.map((event) => event['actionCode'])).toEqual(['post', 'documents.created'])
})

test('a journal entry that was posted and unposted can be deleted', async () => {
  const document = await journalEntry(entry('a', '1.00', '0.00'), entry('b', '0.00', '1.00'))
  await act(clerk, document, 'post')
  await act(clerk, document, 'unpost')
  expect((await clerk('DELETE', `/api/documents/general_journal_entry/${document.id}`)).status).toBe(204)
  await expectAnswer(
    clerk('GET', `/api/documents/general_journal_entry/${document.id}/effects`),
    404,
    'documents.not_found',
  )
})
