import type { Permission, Role, User } from '@vertical-kit/ui-client'
import { part, press, question, type } from '../act.ts'
import { type Answers, failing, forbidden, never, refused } from '../answers.ts'
import { daysAgo, everything, idOf, long, page, people, several } from '../fixtures.ts'
import { scenesOf } from '../scene.ts'

const times = { createdAtUtc: daysAgo(300), updatedAtUtc: daysAgo(2) }
const role = (number: number, name: string, more: Partial<Role> = {}): Role => ({
  ...{
    id: idOf(number),
    code: `role_${number}`,
    name,
    description: 'Posts invoices and registers payments.',
  },
  ...{ isActive: true, isProtected: false, hasFullAccess: false, assignedUserCount: number * 3, ...times },
  permissions: ['document.trade.sales_invoice.view', 'document.trade.sales_invoice.post'],
  ...more,
})

const roles = [
  role(1, 'Finance'),
  role(2, 'Administrators', { isProtected: true, hasFullAccess: true, description: '' }),
  role(3, 'Warehouse', { isActive: false }),
  role(4, people.long.displayName, { description: long.words }),
]
const editable = roles[0] ?? role(1, 'Finance')

const permission = (resource: string, action: string, group: string): Permission => ({
  ...{
    permission: `${resource}.${action}`,
    displayName: `${action.replace('_', ' ')} ${resource.replace(/^.*\./, '').replace('_', ' ')}`,
    group,
    description: '',
  },
})
const permissions = [
  ...['view', 'create', 'update', 'post', 'write_off'].map((action) =>
    permission('document.trade.sales_invoice', action, 'Trade'),
  ),
  ...['view', 'create'].map((action) => permission('document.trade.payment', action, 'Trade')),
  ...['view', 'manage'].map((action) => permission('system.users', action, 'System')),
]

const user = (number: number, { displayName }: { displayName: string }, more: Partial<User> = {}): User => ({
  ...{
    id: idOf(number),
    subject: `user-${number}`,
    email: `user-${number}@example.com`,
    displayName,
    isActive: true,
  },
  roles: [editable].map(({ id, code, name }) => ({ id, code, name })),
  ...times,
  ...more,
})
const users = [
  user(1, people.carl),
  user(2, people.mona, { isActive: false }),
  user(3, people.me, { roles: [], email: null }),
]

const shared: Answers = {
  ...everything,
  'GET /api/security/users': () => page(users),
  'GET /api/security/roles': () => roles,
  'GET /api/security/permissions': () => permissions,
}

export const usersScenes = scenesOf(
  'vk-users',
  { answers: shared },
  {
    loading: { title: 'Loading', answers: { 'GET /api/security/users': never } },
    empty: { title: 'No users match', answers: { 'GET /api/security/users': () => page([]) } },
    few: { title: 'Active and deactivated users' },
    many: {
      title: 'Long names and many roles',
      answers: {
        'GET /api/security/users': () =>
          page(
            [
              user(1, people.long, { roles, email: `${long.word}@example.com` }),
              user(2, people.arabic),
              ...several(20, (number) => user(number + 2, { displayName: `Person ${number}` })),
            ],
            'next',
          ),
      },
    },
    failed: { title: 'Loading failed', answers: { 'GET /api/security/users': failing } },
    refused: { title: 'The user is no administrator', answers: { 'GET /api/security/users': forbidden } },
    invite: { title: 'Inviting a person', setup: ({ element }) => press(element, '.primary') },
    conflict: {
      title: 'The invited person already exists',
      answers: {
        'POST /api/security/users': refused(
          409,
          'users.subject_taken',
          'A user with this subject already exists.',
        ),
      },
      setup: async ({ element }) => {
        await press(element, '.primary')
        await type(element, '[name="subject"]', 'user-1')
        await type(element, '[name="displayName"]', 'Carl Nilsson')
        await press(element, '.card .primary')
        await part(element, '.card .banner')
      },
    },
    roles: { title: 'Assigning roles', setup: ({ element }) => press(element, 'li button') },
    deactivate: {
      title: 'Confirming a deactivation',
      setup: async ({ element }) => {
        await press(element, 'li button:last-of-type')
        await question(element)
      },
    },
    pending: {
      title: 'A user is being deactivated',
      answers: { 'POST /api/security/users/*/deactivate': never },
      setup: ({ element }) => void element.store?.deactivate(users[0] ?? user(1, people.carl)),
    },
  },
)

const openRole = (element: Element, id: string) =>
  press(element, `[data-id="${id}"] [aria-expanded]:not([data-form])`)

/** Opens the first role and changes a permission. */
const change = async (element: Element): Promise<void> => {
  await openRole(element, editable.id)
  await press(element, 'tbody input:not(:checked)')
}

export const rolesScenes = scenesOf(
  'vk-roles',
  { answers: shared },
  {
    loading: { title: 'Loading', answers: { 'GET /api/security/roles': never } },
    empty: { title: 'No roles', answers: { 'GET /api/security/roles': () => [] } },
    few: { title: 'Roles' },
    open: { title: 'What a role grants', setup: ({ element }) => openRole(element, editable.id) },
    adding: { title: 'A new role', setup: ({ element }) => press(element, '[data-form]') },
    switchingOff: {
      title: 'Confirming that a role is switched off',
      setup: async ({ element }) => {
        await press(element, `[data-id="${editable.id}"] [aria-label^="Switch off"]`)
        await question(element)
      },
    },
    protected: { title: 'A protected role', setup: ({ element }) => openRole(element, idOf(2)) },
    changed: { title: 'A change that is not saved', setup: ({ element }) => change(element) },
    confirm: {
      title: 'Confirming a change',
      setup: async ({ element }) => {
        await change(element)
        await press(element, 'li .primary')
        await question(element)
      },
    },
    conflict: {
      title: 'Another administrator has changed the role',
      answers: {
        'PUT /api/security/roles/*/permissions': refused(
          409,
          'roles.version_conflict',
          'The permissions of this role have changed.',
        ),
      },
      setup: async ({ element }) => {
        await change(element)
        await press(element, 'li .primary')
        const dialog = await question(element)
        dialog.querySelector('form')?.requestSubmit()
        await part(element, '.banner')
      },
    },
    failed: { title: 'Loading failed', answers: { 'GET /api/security/roles': failing } },
    refused: { title: 'The user is no administrator', answers: { 'GET /api/security/roles': forbidden } },
  },
)
