import { css } from 'lit'

/**
 * Styles of compact rows: two lines, 54 px with the default font. The buttons appear on hover and focus, or by swiping. They
 * cover the end of the row with a soft edge, so nothing moves when they appear. A message of an action has its own line. Rows
 * outside the visible area are not rendered: their intrinsic size is the height of the content, without the padding and the border.
 * The outline of the row with the focus is above the buttons, because their soft edge would cover it.
 */
export const compactStyle = css`
  :host([density='compact']) {
    li {
      position: relative;
      flex-wrap: nowrap;
      min-height: 3.375rem;
      padding-block: 0.25rem;
      content-visibility: auto;
      contain-intrinsic-size: auto 2.8125rem;
    }
    .title,
    .source,
    .text {
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    .text {
      flex: 1 1 0;
      min-width: 60%;
    }
    .item > .icon,
    .item > input {
      align-self: center;
    }
    .label {
      display: none;
    }
    .buttons {
      flex-wrap: nowrap;
      align-items: center;
    }
    @container (width < 28rem) {
      .title {
        display: -webkit-box;
        -webkit-box-orient: vertical;
        -webkit-line-clamp: 2;
        white-space: normal;
      }
    }
    @container (width >= 28rem) {
      .about {
        flex-wrap: nowrap;
      }
      .text {
        min-width: 0;
      }
    }
    @media (hover: hover) {
      .buttons {
        position: absolute;
        inset-block: auto 2px;
        inset-inline-end: 2px;
        padding-inline: 0.25rem;
        background: var(--_row);
        box-shadow: 0 0 0.5rem 0.375rem var(--_row);
        opacity: 0;
      }
      li:hover .buttons,
      .buttons:focus-within {
        opacity: 1;
      }
      .buttons:empty {
        display: none;
      }
      @container (width >= 28rem) {
        .buttons {
          inset-block: 2px;
        }
        li:focus .buttons {
          opacity: 1;
        }
      }
      li:focus-visible::after {
        position: absolute;
        inset: 0;
        outline: inherit;
        outline-offset: inherit;
        content: '';
        pointer-events: none;
      }
    }
    @media (hover: none) {
      li {
        overflow-x: auto;
        scroll-snap-type: x mandatory;
        scrollbar-width: none;
      }
      .item {
        flex: 0 0 100%;
        scroll-snap-align: start;
      }
      .buttons {
        scroll-snap-align: end;
      }
    }
    li:has([has-message]) {
      flex-wrap: wrap;
    }
    li:has([has-message]) .buttons {
      position: static;
      flex-wrap: wrap;
      box-shadow: none;
      opacity: 1;
    }
  }
`
