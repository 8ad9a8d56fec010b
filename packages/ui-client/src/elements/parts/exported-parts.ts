// The parts of nested elements that the elements around them pass on with `exportparts`.

/** The parts of a dialog. `StoreElement` finds its dialogs by the beginning of this text. */
export const dialogParts = 'dialog, heading, field, button, button-primary, button-danger'
/** The parts of `<vk-take-action>`, including those of its dialog. */
export const takeActionParts = `error, notice, ${dialogParts}`
