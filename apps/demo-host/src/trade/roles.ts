/** The codes of the roles that receive tasks and notifications. The host defines the permissions of these roles. */
export const tradeRoles = {
  clerk: 'trade.clerk',
  viewer: 'trade.viewer',
  auditor: 'trade.auditor',
} as const
