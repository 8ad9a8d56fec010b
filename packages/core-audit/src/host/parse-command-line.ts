import { type ParseArgsConfig, parseArgs } from 'node:util'

/**
 * Parses a command line like `parseArgs` of Node.js, but refuses an option with a value that is given twice, unless it is
 * `multiple`: Node.js would ignore the first value, and the command would change less than its caller asked for.
 *
 * @throws {TypeError} for an invalid command line. The message describes the problem
 */
export function parseCommandLine<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  const { tokens = [] } = parseArgs({ ...config, tokens: true })
  const given = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option' || token.value === undefined) continue
    const { name, rawName } = token
    if (given.has(name) && config.options?.[name]?.multiple !== true) {
      throw new TypeError(`${rawName} can be given only once.`)
    }
    given.add(name)
  }
  return parseArgs(config)
}
