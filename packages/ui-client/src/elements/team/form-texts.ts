/** Texts of the forms for teams. */
export const teamFormTexts = {
  assigned: (name: string) => `Assigned to ${name}.`,
  assignedTasks: (count: number, name: string) => `${count} tasks assigned to ${name}.`,
  /** After *Undo* of an assignment. */
  givenBack: (name: string) => `Given back to ${name}.`,
  givenBackTasks: (count: number) => `${count} ${count === 1 ? 'task' : 'tasks'} given back.`,
  recipient: 'To',
  roles: 'Roles',
  otherUser: 'Another user',
  choose: 'Choose a user or a role',
  mustChoose: 'Choose a user or a role.',
  findUsers: 'Find other users',
  noRecipients: 'Nobody can receive this task.',
  noCommonRecipients: 'Nobody can receive all of these tasks.',
  /** Follows the titles of some tasks. The count is at least 2. */
  moreTasks: (count: number) => `and ${count} more`,
  comment: 'Comment',
  substitute: 'Substitute',
  chooseSubstitute: 'Choose a user',
  firstDay: 'First day',
  lastDay: 'Last day',
  noSubstitutes: 'Nobody shares a role with you. Ask a supervisor to name a substitute.',
  wrongPeriod: 'Choose a period of 1 to 180 days that ends today or later.',
  saveSubstitution: 'Save substitute',
  tooLong: 'Use at most 1,000 characters.',
}

/** The English texts of this part. */
export const teamFormsEnglish = { team: teamFormTexts }
