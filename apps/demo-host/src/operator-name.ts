import { userInfo } from 'node:os'

/**
 * Returns who runs this command, for the audit log: `OPERATOR`, the user name of this process, or the numeric user id if the user
 * has no name. In a container, all operators have the same user name.
 */
export function operatorName(): string {
  const name = process.env['OPERATOR']?.trim() ?? ''
  if (name !== '') return name
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
