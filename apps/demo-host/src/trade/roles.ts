/** The roles that receive tasks and notifications of this vertical. The host defines their permissions. */
export const tradeRoles = {
  clerk: 'trade.clerk',
  viewer: 'trade.viewer',
  auditor: 'trade.auditor',
} as const
