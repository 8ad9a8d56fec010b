/** A permission that roles can be granted: `<resourceKind>.<resourceCode>.<action>`. */
export interface PermissionDefinition {
  readonly permission: string
  readonly displayName: string
  readonly group: string
  readonly description: string
}
