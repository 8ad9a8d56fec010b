import type { Preference } from '@vertical-kit/ui-client'
import { press, question } from '../act.ts'
import { type Answers, failing, forbidden, inTurn, never, refused, unreachable } from '../answers.ts'
import { everything, idOf, invoice, long, minutesAgo, people } from '../fixtures.ts'
import { scenesOf } from '../scene.ts'
import { fewItems, itemsPage, manyItems, notification, summaryOf, task } from './work-items.ts'

const definition = (number: number, displayName: string): Preference => ({
  code: `trade.definition_${number}`,
  kind: 'Task',
  displayName,
  category: 'Trade',
  description: '',
  channel: 'InApp',
  isEnabled: true,
  defaultEnabled: true,
  userCanDisable: true,
  isMandatory: false,
})

const recipients = {
  users: Object.values(people).map(({ userId, displayName }) => ({ userId, displayName })),
  roles: [{ code: 'finance', name: 'Finance' }],
}

const shared: Answers = {
  ...everything,
  'GET /api/work-center/summary': () => summaryOf(4),
  'GET /api/work-center/items': () => itemsPage(fewItems),
  'GET /api/me/notification-preferences': () => [definition(1, 'Collect payment'), definition(2, long.words)],
  'GET /api/work-center/tasks/*/recipients': () => recipients,
}

const all: Answers = { 'GET /api/work-center/items': () => itemsPage(manyItems, 'next') }
const firstTask = fewItems[0] ?? task(1)

const openDialog = async (element: Element, verb: 'snooze' | 'forward', tag: string): Promise<void> => {
  await press(element, `[data-id="${firstTask.id}"] [data-verb="${verb}"]`)
  await question(element, tag)
}

export const workCenterScenes = scenesOf(
  'vk-work-center',
  { answers: shared },
  {
    loading: {
      title: 'Loading',
      answers: { 'GET /api/work-center/items': never, 'GET /api/work-center/summary': never },
    },
    empty: {
      title: 'Nothing to do',
      answers: {
        'GET /api/work-center/items': () => itemsPage([]),
        'GET /api/work-center/summary': () => summaryOf(0),
      },
    },
    few: { title: 'Tasks and a notification' },
    many: { title: 'Long titles, other scripts and many rows', answers: all },
    comfortable: {
      title: 'With more room for each row',
      answers: all,
      properties: { density: 'comfortable' },
    },
    drawer: { title: 'In a drawer', answers: all, properties: { layout: 'drawer' } },
    grouped: {
      title: 'Sorted by due day, in groups',
      answers: all,
      properties: { sort: 'due', tab: 'tasks' },
    },
    filtered: {
      title: 'No item matches the filters',
      answers: { 'GET /api/work-center/items': () => itemsPage([]) },
      properties: { filters: { q: 'zebra', priority: 'High', overdue: true } },
    },
    completed: {
      title: 'Completed tasks',
      answers: {
        'GET /api/work-center/items': () =>
          itemsPage([
            task(1, { taskStatus: 'Completed' }),
            task(2, { taskStatus: 'Cancelled' }),
            notification(3, { isDismissed: true }),
          ]),
      },
      properties: { tab: 'completed' },
    },
    failed: {
      title: 'Loading failed',
      answers: { 'GET /api/work-center/items': failing, 'GET /api/work-center/summary': failing },
    },
    offline: {
      title: 'The service cannot be reached',
      answers: { 'GET /api/work-center/items': unreachable, 'GET /api/work-center/summary': unreachable },
    },
    refused: {
      title: 'The user has no Work Center',
      answers: { 'GET /api/work-center/items': forbidden, 'GET /api/work-center/summary': forbidden },
    },
    selected: {
      title: 'Selected rows',
      setup: ({ element }) => element.store?.select(fewItems.slice(0, 3).map(({ id }) => id)),
    },
    pending: {
      title: 'A task is being claimed',
      answers: { 'POST /api/work-center/tasks/*/claim': never },
      setup: ({ element }) => void element.store?.claim(firstTask),
    },
    conflict: {
      title: 'Another user has claimed the task first',
      answers: {
        'POST /api/work-center/tasks/*/claim': refused(
          409,
          'work_center.task_claim_conflict',
          'Another user was faster.',
        ),
        'GET /api/work-center/items': inTurn(
          () => itemsPage(fewItems),
          () => itemsPage(fewItems.slice(1)),
        ),
      },
      setup: ({ element }) => element.store?.claim(firstTask),
    },
    'row-failed': {
      title: 'A change failed',
      answers: { 'POST /api/work-center/tasks/*/claim': forbidden },
      setup: ({ element }) => element.store?.claim(firstTask),
    },
    snooze: {
      title: 'Choosing the end of a snooze',
      setup: ({ element }) => openDialog(element, 'snooze', 'vk-snooze-dialog'),
    },
    forward: {
      title: 'Choosing who receives a task',
      setup: ({ element }) => openDialog(element, 'forward', 'vk-recipient-dialog'),
    },
    shortcuts: {
      title: 'The list of keys',
      setup: async ({ element }) => {
        document.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))
        await question(element, 'vk-shortcuts-dialog')
      },
    },
  },
)

export const badgeScenes = scenesOf(
  'vk-work-center-badge',
  { answers: shared },
  {
    loading: { title: 'Loading', answers: { 'GET /api/work-center/summary': never } },
    empty: { title: 'Nothing to do', answers: { 'GET /api/work-center/summary': () => summaryOf(0) } },
    few: { title: 'Some items' },
    many: {
      title: 'More than 99 items',
      answers: { 'GET /api/work-center/summary': () => summaryOf(12_345) },
    },
    offline: {
      title: 'The service cannot be reached',
      answers: { 'GET /api/work-center/summary': unreachable },
    },
  },
)

const about = { documentType: invoice.typeCode, documentId: invoice.id }

export const yourTasksScenes = scenesOf(
  'vk-your-tasks',
  { answers: shared, properties: about },
  {
    few: { title: 'One task', answers: { 'GET /api/work-center/items': () => itemsPage([firstTask]) } },
    many: {
      title: 'Several tasks with long titles',
      answers: { 'GET /api/work-center/items': () => itemsPage(manyItems.slice(0, 3)) },
    },
    empty: {
      title: 'No task: renders nothing',
      answers: { 'GET /api/work-center/items': () => itemsPage([]) },
    },
  },
)

const assigned = (number: number, holder: { userId: string; displayName: string } | null) => ({
  ...(manyItems[number] ?? task(number)),
  claimedBy: holder === null ? null : { ...holder, sinceUtc: minutesAgo(number * 300) },
  assignedRole: { code: 'finance', name: 'Finance' },
  recipientCount: number + 1,
})

const team = [assigned(5, people.carl), assigned(6, null), assigned(7, people.mona)]
const teamPage =
  (items: typeof team, nextCursor: string | null = null) =>
  () => ({ items, nextCursor, limit: 30 })

const teamUsers = () => ({
  users: [people.carl, people.mona].map(({ userId, displayName }) => ({
    userId,
    displayName,
    taskCount: 12,
  })),
})

/** Selects one task, and with the bar that appears then, all tasks. */
async function selectAll({ element }: { readonly element: Element }): Promise<void> {
  await press(element, 'li input')
  await press(element, '#select-all')
}

/** Opens the dialog for the first task of the team, and gives the task to another user if the scene goes on. */
const firstOfTeam = team[0] ?? assigned(5, null)

export const teamScenes = scenesOf(
  'vk-team-tasks',
  {
    answers: {
      ...shared,
      'GET /api/work-center/team': teamPage(team),
      'GET /api/work-center/team/users': teamUsers,
    },
  },
  {
    loading: { title: 'Loading', answers: { 'GET /api/work-center/team': never } },
    empty: { title: 'No tasks', answers: { 'GET /api/work-center/team': teamPage([]) } },
    few: { title: 'Tasks with and without an assignee' },
    many: {
      title: 'Long titles and names',
      answers: {
        'GET /api/work-center/team': teamPage(
          [assigned(0, people.long), assigned(1, people.arabic), assigned(2, null), ...team],
          'next',
        ),
      },
    },
    failed: { title: 'Loading failed', answers: { 'GET /api/work-center/team': failing } },
    refused: { title: 'The user is no supervisor', answers: { 'GET /api/work-center/team': forbidden } },
    assign: {
      title: 'Choosing an assignee',
      setup: async ({ element }) => {
        await press(element, `[data-id="${firstOfTeam.id}"] [data-verb="assign"]`)
        await question(element, 'vk-recipient-dialog')
      },
    },
    selected: {
      title: 'Selected tasks',
      setup: selectAll,
    },
    'assign-several': {
      title: 'Choosing an assignee for several tasks',
      answers: {
        'GET /api/work-center/team': teamPage([...team, ...[8, 9, 10, 11].map((n) => assigned(n, null))]),
      },
      setup: async ({ element }) => {
        await selectAll({ element })
        await press(element, '[data-bulk="assign"]')
        await question(element, 'vk-recipient-dialog')
      },
    },
    pending: {
      title: 'A task is being assigned',
      answers: { 'POST /api/work-center/team/tasks/*/assign': never },
      setup: ({ element }) => void element.store?.assign([firstOfTeam], { userId: idOf(3) }),
    },
    conflict: {
      title: 'The task was claimed first',
      answers: {
        'POST /api/work-center/team/tasks/*/assign': refused(
          409,
          'work_center.task_claim_conflict',
          'Another user was faster.',
        ),
      },
      setup: ({ element }) => element.store?.assign([firstOfTeam], { userId: idOf(3) }),
    },
  },
)

const users = { users: recipients.users }
const current = { ...people.mona, fromUtc: minutesAgo(1_440), untilUtc: minutesAgo(-14_400) }
const substitution: Answers = {
  'GET /api/me/substitution': () => current,
  'GET /api/me/substitution/users': () => users,
}

export const substitutionScenes = scenesOf(
  'vk-substitution',
  { answers: substitution },
  {
    loading: { title: 'Loading', answers: { 'GET /api/me/substitution': never } },
    empty: { title: 'No substitute', answers: { 'GET /api/me/substitution': () => null } },
    few: { title: 'A substitute' },
    failed: { title: 'Loading failed', answers: { 'GET /api/me/substitution': failing } },
    wrong: { title: 'The period is missing', setup: ({ element }) => press(element, 'form button') },
    saving: {
      title: 'Saving',
      answers: { 'PUT /api/me/substitution': never },
      setup: ({ element }) => void element.store?.set(current),
    },
    refused: {
      title: 'The substitute has a substitute',
      answers: {
        'PUT /api/me/substitution': refused(
          409,
          'work_center.substitution_chain',
          'A substitute cannot have a substitute.',
        ),
      },
      setup: ({ element }) => element.store?.set(current),
    },
  },
)
