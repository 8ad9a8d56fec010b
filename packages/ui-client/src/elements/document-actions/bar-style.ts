import { css } from 'lit'

/**
 * Styles of the bar. The bar has a constant height, so the content below does not move during loads and actions. The padding
 * of `.face` is the width of the icon and its gap.
 */
export const barStyle = css`
  .bar {
    display: flex;
    gap: 0.5rem;
    min-height: 2.25rem;
    align-items: center;
  }
  .bar > p {
    min-width: 0;
  }
  .skeleton {
    min-height: 2.25rem;
  }
  button {
    position: relative;
    overflow: hidden;
    white-space: nowrap;
  }
  .face {
    display: inline-grid;
    justify-items: center;
  }
  .face > span {
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
  }
  .face::after {
    content: attr(data-other);
    padding-inline-start: calc(1.125em + 0.375rem);
    height: 0;
    overflow: hidden;
    visibility: hidden;
  }
  [aria-busy]::after {
    content: '';
    position: absolute;
    inset: auto 0 0;
    height: 3px;
    background: currentColor;
  }
  @media (prefers-reduced-motion: no-preference) {
    [aria-busy]::after {
      animation: run 1.1s ease-in-out infinite;
    }
    @keyframes run {
      from {
        transform: translateX(-100%);
      }
      to {
        transform: translateX(100%);
      }
    }
  }
  .ruler {
    position: absolute;
    width: 0;
    height: 0;
    overflow: hidden;
    visibility: hidden;
  }
  .ruler > div {
    display: flex;
    width: max-content;
  }
  .banner p:first-child {
    font-weight: 600;
  }
  [popover] {
    position: fixed;
    inset: auto;
    margin: 0;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_ground);
    color: var(--_text);
    box-shadow: 0 0.5rem 1.5rem #0003;
    overflow: auto;
  }
  .menu {
    min-width: 12rem;
    margin-block: 0.25rem;
    padding: 0.25rem;
  }
  .menu button {
    width: 100%;
    justify-content: flex-start;
    color: var(--_text);
    overflow-wrap: anywhere;
    text-align: start;
    white-space: normal;
  }
  .menu .face {
    justify-items: start;
  }
  .menu button.danger,
  .menu button.danger:hover:not([aria-disabled]) {
    background: transparent;
    color: var(--_danger);
  }
  .menu button.danger:hover:not([aria-disabled]) {
    background: var(--_danger-soft);
  }
  .menu button[aria-disabled] {
    border-color: transparent;
    background: transparent;
    color: var(--_muted);
  }
  .menu .why {
    max-width: 20rem;
    margin-top: -0.375rem;
    padding: 0 0.75rem 0.5rem;
  }
  .menu :focus-visible {
    outline-offset: -2px;
  }
`
