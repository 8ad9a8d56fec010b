import type { AccessChangedData } from '@vertical-kit/core-audit/identity'

/** Returns the users and the roles of changes of access. */
export function concernedIds(accessChanges: readonly AccessChangedData[]) {
  return {
    userIds: accessChanges.flatMap((change) => ('userId' in change ? [change.userId] : [])),
    roleIds: accessChanges.flatMap((change) => ('roleId' in change ? [change.roleId] : [])),
  }
}
