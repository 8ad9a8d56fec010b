/** The service lists at most this many users, and finds the others by their names. */
const listMax = 100

/** Whether a list of users may be incomplete. */
export const isFullList = (users: readonly unknown[]): boolean => users.length >= listMax
