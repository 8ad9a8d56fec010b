/** Codes of the roles that work is for in this vertical. What they may do, the host grants. */
export const tradeRoles = {
  clerk: 'trade.clerk',
  viewer: 'trade.viewer',
  auditor: 'trade.auditor',
} as const
