/** Returns a document number such as `SI-000042`. Positions above 999999 have more digits. */
export function documentNumber(prefix: string, position: number): string {
  return `${prefix}-${String(position).padStart(6, '0')}`
}
