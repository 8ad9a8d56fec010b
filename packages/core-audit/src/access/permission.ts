/** A permission that can be granted to roles. Its form is `<resourceKind>.<resourceCode>.<action>`. */
export interface PermissionDefinition {
  readonly permission: string
  readonly displayName: string
  readonly group: string
  readonly description: string
}
