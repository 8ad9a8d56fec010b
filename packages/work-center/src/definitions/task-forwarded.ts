import { defineNotification, type NotificationDefinition, type TaskDefinition } from './definition.ts'

/**
 * Returns the definition of the notification about a forwarded task. It goes to single users, who have or had this task, so it
 * has the roles of the task's definition. It is mandatory and in no list of preferences: a colleague addressed it to its reader.
 */
export const taskForwardedDefinition = ({ roleCodes, category }: TaskDefinition): NotificationDefinition =>
  defineNotification({
    code: 'work_center.task_forwarded',
    displayName: 'Task forwarded',
    category,
    description: 'A task was forwarded to you, or to another user.',
    severity: 'Information',
    roleCodes,
    userCanDisable: false,
  })
