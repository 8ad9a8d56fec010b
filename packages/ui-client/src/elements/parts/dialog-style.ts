import { css } from 'lit'

/**
 * Styles of modal dialogs. Set `--_width` to change the width. `.preview` has room for a title and four lines, so the buttons do
 * not move when the preview appears.
 */
export const dialogStyle = css`
  dialog {
    width: min(var(--_width, 30rem), calc(100vw - 2rem));
    padding: 1.25rem;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.5);
    background: var(--_ground);
    color: var(--_text);
    box-shadow: 0 1rem 3rem #0004;
  }
  dialog::backdrop {
    background: #0006;
  }
  .row {
    justify-content: flex-end;
  }
  label {
    display: grid;
    gap: 0.25rem;
    font-weight: 500;
  }
  .preview {
    min-height: 7.5rem;
  }
  .preview ul {
    margin: 0.25rem 0 0;
    padding-inline-start: 1.25rem;
    list-style: disc;
  }
  .wrong {
    color: var(--_danger);
    font-weight: 400;
  }
`
