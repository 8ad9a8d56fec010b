import { css } from 'lit'

/**
 * The shared styles of all elements. A page can set the custom properties of these styles on any ancestor. Colours follow
 * the `color-scheme` of the page (light or dark). The column of a `.stack` has a minimum of zero, because a long word would
 * otherwise make it wider than the element. Text has a contrast of at least 4.5 : 1 to its background (WCAG 1.4.3).
 */
export const theme = css`
  :host {
    --_text: var(--vk-text, light-dark(#1c2127, #e8eaed));
    --_muted: var(--vk-text-muted, light-dark(#5a636e, #a3abb5));
    --_ground: var(--vk-ground, light-dark(#ffffff, #16191d));
    --_raised: var(--vk-raised, light-dark(#f6f7f9, #1f2328));
    --_line: var(--vk-line, light-dark(#d9dde3, #363c44));
    --_field-line: var(--vk-field-line, light-dark(#868e99, #78818c));
    --_accent: var(--vk-accent, light-dark(#1f5fbf, #8ab4f8));
    --_on-accent: var(--vk-on-accent, light-dark(#ffffff, #10151c));
    --_accent-soft: var(--vk-accent-soft, light-dark(#e8f0fc, #1d2b40));
    --_danger: var(--vk-danger, light-dark(#b3261e, #f2a8a2));
    --_on-danger: var(--vk-on-danger, light-dark(#ffffff, #2a0f0d));
    --_danger-soft: var(--vk-danger-soft, light-dark(#fdecea, #3a1d1b));
    --_success: var(--vk-success, light-dark(#1c6b3a, #87d3a2));
    --_success-soft: var(--vk-success-soft, light-dark(#e6f4ea, #17301f));
    --_warning: var(--vk-warning, light-dark(#7a4f00, #f0c36d));
    --_warning-soft: var(--vk-warning-soft, light-dark(#fdf3dc, #35290f));
    --_radius: var(--vk-radius, 8px);
    --_font: var(--vk-font, inherit);
    display: block;
    color: var(--_text);
    font-family: var(--_font);
    font-size: var(--vk-font-size, 0.9375rem);
    line-height: 1.5;
    overflow-wrap: break-word;
    container-type: inline-size;
  }
  :host([hidden]) {
    display: none;
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  h2,
  h3,
  p,
  ul,
  ol {
    margin: 0;
    padding: 0;
  }
  ul,
  ol {
    list-style: none;
  }
  h2 {
    font-size: 1.0625rem;
    font-weight: 600;
    line-height: 1.4;
  }
  button,
  input,
  textarea,
  select {
    font: inherit;
    color: inherit;
  }
  button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.375rem;
    min-height: 2.25rem;
    padding: 0 0.75rem;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_ground);
    font-weight: 500;
    cursor: pointer;
  }
  button:hover:not(:disabled, [aria-disabled='true']) {
    background: var(--_raised);
  }
  button.primary {
    border-color: transparent;
    background: var(--_accent);
    color: var(--_on-accent);
  }
  button.primary:hover:not(:disabled, [aria-disabled='true']) {
    background: color-mix(in oklab, var(--_accent), var(--_text) 15%);
  }
  button.danger {
    border-color: transparent;
    background: var(--_danger);
    color: var(--_on-danger);
  }
  button.danger:hover:not(:disabled, [aria-disabled='true']) {
    background: color-mix(in oklab, var(--_danger), var(--_text) 15%);
  }
  button.quiet {
    border-color: transparent;
    background: transparent;
    color: var(--_muted);
  }
  button.quiet:hover:not(:disabled, [aria-disabled='true']) {
    background: var(--_raised);
    color: var(--_text);
  }
  .link {
    display: inline;
    min-height: 0;
    padding: 0;
    border: 0;
    background: none;
    color: var(--_accent);
    font: inherit;
    text-align: start;
    text-decoration: underline;
  }
  button.small {
    min-height: 1.75rem;
    padding: 0 0.5rem;
  }
  button:disabled,
  button[aria-disabled='true'] {
    border-color: var(--_line);
    background: var(--_raised);
    color: var(--_muted);
    cursor: not-allowed;
  }
  @media (forced-colors: active) {
    button.primary,
    button.danger {
      color: ButtonText;
    }
    button:disabled,
    button[aria-disabled='true'] {
      border-color: GrayText !important;
      color: GrayText !important;
    }
  }
  textarea,
  input:not([type='checkbox'], [type='file']),
  select {
    width: 100%;
    padding: 0.5rem 0.625rem;
    border: 1px solid var(--_field-line);
    border-radius: var(--_radius);
    background: var(--_ground);
  }
  textarea {
    min-height: 4.5rem;
    resize: vertical;
    field-sizing: content;
    max-height: 20rem;
  }
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  svg {
    flex: none;
    width: 1.125em;
    height: 1.125em;
  }
  .muted {
    color: var(--_muted);
  }
  .small {
    font-size: 0.875em;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
  }
  .stack {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.75rem;
  }
  .grow {
    flex: 1;
    min-width: 0;
  }
  .banner {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    padding: 0.5rem 0.75rem;
    border-radius: var(--_radius);
    background: var(--_danger-soft);
    color: var(--_danger);
  }
  .banner.warning {
    background: var(--_warning-soft);
    color: var(--_warning);
  }
  .banner > :first-child {
    flex: 1 10rem;
    min-width: 0;
  }
  .empty {
    padding: 1.5rem 1rem;
    border: 1px dashed var(--_line);
    border-radius: var(--_radius);
    color: var(--_muted);
    text-align: center;
  }
  .skeleton {
    border-radius: var(--_radius);
    background: var(--_raised);
    min-height: 4rem;
  }
  @media (prefers-reduced-motion: no-preference) {
    .skeleton {
      animation: breathe 1.6s ease-in-out infinite alternate;
    }
    @keyframes breathe {
      to {
        opacity: 0.5;
      }
    }
  }
  .visually-hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`
