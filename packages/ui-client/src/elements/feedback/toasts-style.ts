import { css } from 'lit'

/** Styles of the messages, in addition to the theme. They are above the bar of selected rows, which is at the bottom, too. */
export const toastsStyle = css`
  :host {
    container-type: normal;
  }
  [popover] {
    inset: auto auto 2.5rem 0.5rem;
    width: min(27rem, calc(100vw - 1rem));
    max-height: 60vh;
    margin: 0;
    padding: 0.75rem;
    border: 0;
    background: transparent;
    color: var(--_text);
    overflow: auto;
  }
  [popover]:dir(rtl) {
    inset: auto 0.5rem 2.5rem auto;
  }
  ul {
    display: grid;
    gap: 0.5rem;
  }
  li {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    padding: 0.5rem 0.5rem 0.5rem 0.75rem;
    border: 1px solid var(--_line);
    border-inline-start: 4px solid var(--_success);
    border-radius: var(--_radius);
    background: var(--_ground);
    box-shadow: 0 0.25rem 1rem #0003;
  }
  li.failure {
    border-inline-start-color: var(--_danger);
  }
  li > span {
    flex: 1;
    min-width: 0;
    overflow-wrap: anywhere;
  }
`
