import { userInfo } from 'node:os'

/** Returns the user name of this process, or the numeric user id if the user has no name, for example in a container. */
export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
