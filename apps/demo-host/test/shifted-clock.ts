/**
 * Shifts the wall clock of a process by `CLOCK_SHIFT_MS`, as a host with a wrong clock has it. Load this file with
 * `--import`. At SIGUSR2, the clock steps by another `CLOCK_STEP_MS`. The monotonic clock (`performance`) keeps its pace.
 */
const systemNow = Date.now
let shiftMs = Number(process.env['CLOCK_SHIFT_MS'])
const shiftedNow = () => systemNow() + shiftMs

process.on('SIGUSR2', () => {
  shiftMs += Number(process.env['CLOCK_STEP_MS'])
})

const shifted: DateConstructor = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [shiftedNow()] : args, newTarget),
  get: (target, key, receiver) => (key === 'now' ? shiftedNow : Reflect.get(target, key, receiver)),
})
globalThis.Date = shifted
