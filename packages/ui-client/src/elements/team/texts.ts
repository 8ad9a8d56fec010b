/** Texts of the team's tasks. */
export const teamTexts = {
  title: 'Team tasks',
  filters: 'Filters',
  show: 'Show',
  views: {
    all: 'All open tasks',
    overdue: 'Overdue',
    unclaimed: 'Unclaimed',
    claimed: 'In progress',
    invisible: 'Visible to nobody',
  },
  empty: 'No tasks match.',
  refresh: 'Refresh',
  holder: (name: string, since: string) => `${name}, since ${since}`,
  unclaimedOf: (role: string) => `Unclaimed, ${role}`,
  recipients: (count: number) => (count === 1 ? '1 recipient' : `${count} recipients`),
  assign: 'Assign',
  assigned: (name: string) => `Assigned to ${name}.`,
  forward: 'Forward',
  recipient: 'To',
  users: 'Users',
  roles: 'Roles',
  choose: 'Choose a user or a role',
  mustChoose: 'Choose a user or a role.',
  noRecipients: 'Nobody can receive this task.',
  comment: 'Comment',
  substitution: 'Substitute',
  substitutionHint:
    'Your substitute sees and handles your tasks for at most 180 days, with their own permissions.',
  substitutedBy: (name: string, from: string, until: string) => `${name}, from ${from} to ${until}`,
  substitute: 'Substitute',
  chooseSubstitute: 'Choose a user',
  firstDay: 'First day',
  lastDay: 'Last day',
  wrongPeriod: 'Choose a user, a first day, and a last day that is not before it.',
  saveSubstitution: 'Save substitute',
  endSubstitution: 'End',
  tooLong: 'Use at most 1,000 characters.',
}

/** The English texts of this group. */
export const teamEnglish = { team: teamTexts }
