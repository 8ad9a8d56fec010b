// The parts of nested elements that the elements around them pass on with `exportparts`.

/** The parts of a dialog. */
export const dialogParts = 'dialog, heading, field, button, button-primary, button-danger'
/** The parts of `<vk-take-action>`, including those of its dialog. */
export const takeActionParts = `error, notice, ${dialogParts}`
