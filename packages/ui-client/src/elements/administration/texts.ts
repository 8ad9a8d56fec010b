import { textsOf } from '../texts.ts'

/** Makes a readable name of a code: `trade.sales_invoice` becomes “Sales invoice”. */
export const readable = (code: string): string => {
  const words = code.slice(code.lastIndexOf('.') + 1).replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const people = (count: number) => (count === 1 ? '1 person' : `${count} people`)

/** The English texts of the elements for administrators. */
export const administrationTexts = {
  save: 'Save',
  refresh: 'Refresh',
  filters: 'Filters',

  users: 'Users',
  search: 'Search by name, email address or subject',
  show: 'Show',
  allUsers: 'All users',
  activeUsers: 'Active users',
  inactiveUsers: 'Deactivated users',
  noUsers: 'No users match.',
  inactive: 'Deactivated',
  noRoles: 'No roles',
  editRoles: 'Roles',
  rolesOf: (name: string) => `Roles of ${name}`,
  rolesSaved: (name: string) => `The roles of ${name} have changed. They apply from the next request.`,
  deactivate: 'Deactivate',
  deactivateTitle: (name: string) => `Deactivate ${name}?`,
  deactivateMessage:
    'This person can no longer use the application, from the next request on. Their work and roles are kept.',
  reactivate: 'Reactivate',
  reactivateTitle: (name: string) => `Reactivate ${name}?`,
  reactivateMessage: 'This person can use the application again, with the roles that they had.',
  deactivated: (name: string) => `${name} has been deactivated.`,
  reactivated: (name: string) => `${name} has been reactivated.`,
  invite: 'Invite a person',
  subject: 'Subject',
  subjectHint:
    'The user name or id with which your sign-in service identifies this person (the claim “sub”).',
  name: 'Name',
  email: 'Email address (optional)',
  sendInvitation: 'Invite',
  invited: (name: string) => `${name} has been invited and can sign in now.`,

  roles: 'Roles',
  noRolesYet: 'There are no roles.',
  addRole: 'Add a role',
  editRole: 'Edit',
  editRoleOf: (name: string) => `Edit ${name}`,
  code: 'Code',
  codeHint:
    'Lower-case letters and digits, in parts joined by one dot, hyphen or underscore, for example sales.clerk. Tasks and tokens refer to the role by this code.',
  description: 'Description (optional)',
  roleAdded: (name: string) => `${name} has been added. Choose its permissions.`,
  switchOff: 'Switch off',
  switchOffTitle: (name: string) => `Switch off ${name}?`,
  switchOffMessage: (count: number) =>
    count === 0
      ? 'Nobody has this role at present. You can switch it on again.'
      : `It grants nothing more to ${people(count)}, from their next request on. You can switch it on again.`,
  switchedOffRole: (name: string) => `${name} has been switched off.`,
  switchOn: 'Switch on',
  switchOnTitle: (name: string) => `Switch on ${name}?`,
  switchOnMessage: (count: number) =>
    count === 0
      ? 'Nobody has this role at present.'
      : `It grants its permissions to ${people(count)}, from their next request on.`,
  switchedOnRole: (name: string) => `${name} has been switched on.`,
  assignedTo: (count: number) => `Assigned to ${people(count)}`,
  protected: 'Protected',
  protectedReason:
    'This role grants every permission, because the deployment names it as an administrator role. Its permissions cannot be changed here.',
  readOnly: 'You can view the permissions of this role, but you do not have the permission to change them.',
  switchedOff: 'Switched off',
  permissions: 'Permissions',
  resource: readable,
  resourceColumn: 'Resource',
  action: readable,
  notRegistered: 'Granted, but not known to this release',
  unchanged: 'No changes.',
  changeCount: (added: number, removed: number) => `${added} added, ${removed} removed`,
  reset: 'Reset',
  review: 'Review and save',
  reviewTitle: (name: string) => `Change ${name}?`,
  reviewMessage: (count: number) =>
    count === 0
      ? 'Nobody has this role at present.'
      : `This affects ${people(count)}, from their next request on.`,
  changes: 'Changes',
  adds: (permission: string) => `Adds: ${permission}`,
  removes: (permission: string) => `Removes: ${permission}`,
  roleSaved: (name: string) => `${name} has been saved.`,
  conflict:
    'Another administrator has changed this role. Your changes are kept and now apply to the current permissions. Review them and save again.',

  outbox: 'Outbox',
  consumers: 'Consumers',
  consumer: 'Consumer',
  pending: 'Pending',
  oldest: 'Oldest',
  dead: 'Dead letters',
  deadLetters: 'Dead letters',
  noDeadLetters: 'No dead letters. Every event has been handled, or will be.',
  attempts: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
  deadSince: (time: string) => `Failed at ${time}`,
  heldBack: (count: number) => (count === 1 ? '1 later event waits' : `${count} later events wait`),
  notEnded: 'The last attempt did not end: its process stopped, or was too slow.',
  showAttempts: 'Attempts',
  historyFailed: 'The attempts could not be loaded.',
  outcomes: { completed: 'Completed', failed: 'Failed', abandoned: 'Did not end' } as Readonly<
    Record<string, string>
  >,
  retry: 'Retry',
  retryTitle: 'Retry this event?',
  retryMessage: 'Use this when the cause has been repaired. Later events of the same object follow in order.',
  retried: 'The event is tried again.',
  discard: 'Discard',
  discardTitle: 'Discard this event?',
  discardMessage: (consumer: string) =>
    `${consumer} will never handle this event. Later events of the same object continue. This cannot be undone.`,
  discarded: 'The event has been discarded.',
  reason: 'Reason',
  reasonMissing: 'Enter a reason. The audit log keeps it.',
  reasonTooLong: 'Use at most 1,000 characters.',

  status: 'Status',
  health: 'Health',
  part: 'Part',
  state: 'State',
  states: { Healthy: 'Healthy', Degraded: 'Degraded', Unhealthy: 'Unhealthy' } as Readonly<
    Record<string, string>
  >,
  duration: 'Response time',
  failed: 'Failed',
  detail: 'Details',
  features: 'Features',
  feature: 'Feature',
  featureGroup: 'Group',
  on: 'On',
  off: 'Off',
  versions: 'Versions',
  release: (title: string, version: string) => `${title}: Vertical Kit ${version}`,
}

/** The English texts of this group. */
export const administrationEnglish = { administration: administrationTexts }

/** Returns the current texts, with the changes of the page. */
export const currentTexts = (): typeof administrationTexts => textsOf(administrationEnglish).administration
