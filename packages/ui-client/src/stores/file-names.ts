/** Inserts a number before the extension of a file name: `report (2).pdf`. */
const numbered = (name: string, number: number): string => name.replace(/(?=\.[^.]*$|$)/, ` (${number})`)

/** Returns the name, or the name with the lowest number from 2 for which `isTaken` returns false. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name
  for (let number = 2; isTaken(free); number += 1) free = numbered(name, number)
  return free
}
