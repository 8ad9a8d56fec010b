import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The refusals of the Work Center. */
export const WorkCenterError = defineErrors('WorkCenterError', {
  'work_center.item_not_found': refusal(404, 'The item does not exist or is no longer in your Work Center.'),
  'work_center.task_claim_conflict': refusal(
    409,
    'Someone else has claimed or changed this task, or it can no longer be claimed.',
  ),
  'work_center.not_claimed': refusal(409, 'This task is not claimed, or it is closed.'),
  'work_center.recipient_not_eligible': refusal(
    409,
    'This user or role cannot receive the task. Choose an active user or a role that may handle it.',
  ),
  'work_center.substitution_chain': refusal(
    409,
    'This user has a substitute of their own in this period. Choose another user.',
  ),
  'work_center.cursor_invalid': refusal(
    400,
    'The cursor does not belong to this list. Start again without a cursor.',
  ),
  'work_center.preference_unknown': refusal<{ code: string; channel: string }>(
    400,
    'This preference does not exist.',
  ),
  'work_center.preference_not_applicable': refusal<{ code: string }>(
    403,
    'This preference does not apply to any of your roles.',
  ),
  'work_center.preference_mandatory': refusal<{ code: string }>(409, 'This preference cannot be turned off.'),
  'work_center.mail_not_found': refusal(404, 'The dead letter does not exist.'),
})
