/** The values of CSS that take nothing out of sight, of the properties that could. */
import { lookup } from '../../../system/text.ts'

const small = '-?(\\d{1,2}(\\.\\d+)?|\\.\\d+)(px|pt|%|em|rem)?'
const short = new RegExp(`^(normal|auto|${small}( ${small})?)$`)
const none = /^none$/
const auto = /^auto$/
const normal = /^normal$/
const noMove =
  /^none$|^((translatez|rotate|skew[xy]?)\(0(px|deg)?\)|translate(3d)?\((0(px)?[ ,]*)+\)|scale\(1([ ,]+1)?\)) ?$/

/** With any other value these may take a text out of sight, so no other is taken for harmless. */
export const neutral = lookup<RegExp>({
  all: /^\b$/,
  animation: /^none\b/,
  'animation-name': none,
  'aspect-ratio': auto,
  'backdrop-filter': none,
  'background-blend-mode': normal,
  'background-clip': /^((border|padding|content)-box[ ,]*)+$/,
  'baseline-shift': /^(baseline|0(px)?)$/,
  'border-image': none,
  'border-image-source': none,
  'border-shape': none,
  'box-reflect': none,
  clip: auto,
  'clip-path': none,
  'column-count': /^(auto|1)$/,
  'column-gap': short,
  'column-height': auto,
  'column-width': auto,
  'column-wrap': auto,
  columns: /^(auto|1)( auto)?$/,
  contain: /^(none|layout|style|layout style)$/,
  container: none,
  'container-type': normal,
  content: /^(none|normal|"[^"]*"|(open|close)-quote)$/,
  'content-visibility': /^(visible|auto)$/,
  filter: /^none$|^(progid|alpha\(opacity ?= ?(100|[5-9]\d)\)$)/,
  flex: /^(none|auto|initial|[1-9]( [01]( (auto|0(px|%)?|1?\d{2}%))?)?)$/,
  'flex-basis': /^(auto|content|1?\d{2}%|\d{3}px)$/,
  'font-size-adjust': none,
  gap: short,
  grid: none,
  'grid-area': auto,
  'grid-auto-columns': auto,
  'grid-auto-rows': auto,
  'grid-column': auto,
  'grid-column-end': auto,
  'grid-column-gap': short,
  'grid-column-start': auto,
  'grid-gap': short,
  'grid-row': auto,
  'grid-row-end': auto,
  'grid-row-gap': short,
  'grid-row-start': auto,
  'grid-template': none,
  'grid-template-areas': none,
  'grid-template-columns': /^(none|(1fr ?)+|repeat\( ?[1-6] ?, ?1fr ?\))$/,
  'grid-template-rows': /^(none|(auto ?)+)$/,
  'initial-letter': normal,
  'line-clamp': none,
  'margin-trim': none,
  mask: none,
  'mask-box-image': none,
  'mask-box-image-source': none,
  'mask-image': none,
  'mix-blend-mode': normal,
  'object-view-box': none,
  offset: none,
  'offset-path': none,
  'offset-position': /^(auto|normal)$/,
  outline: /^(none|0(px)?|[^(]*\b[0-4]px\b[^(]*|[a-z]+|0 none|medium none( [a-z]+)?)$/,
  'outline-offset': /^([0-4]px|0)$/,
  'outline-width': /^([0-4]px|0|thin|medium)$/,
  overlay: none,
  perspective: none,
  rotate: /^(none|0(deg)?)$/,
  'row-gap': short,
  'rtl-ordering': /^logical$/,
  scale: /^(none|1( 1)*|100%)$/,
  'shape-outside': none,
  'tab-size': /^\d{1,2}$/,
  'text-box': normal,
  'text-box-trim': none,
  'text-combine': none,
  'text-combine-upright': none,
  // A line through a text or under it may be as thick as the text.
  'text-decoration':
    /^[^\d]*$|^[a-z ]*#[0-9a-f]{3,8}[a-z ]*$|^[a-z ]*rgba?\([^()]*\)[a-z ]*$|^[a-z ]*[0-2](\.\d+)?px[a-z ]*$/,
  'text-decoration-thickness': /^(auto|from-font|[0-2](\.\d+)?px|0)$/,
  'text-emphasis': none,
  'text-emphasis-style': none,
  'text-fit': none,
  'text-orientation': /^(mixed|sideways)$/,
  'text-security': none,
  // Others garble what they are to adorn.
  'text-shadow':
    /^(none|((#[0-9a-f]{3,8}|[a-z]+|rgba?\([^()]*\)) )?(-?[0-3](\.\d+)?(px)? ?){2,3}(#[0-9a-f]{3,8}|[a-z]+|rgba?\([^()]*\))?)$/,
  'text-size-adjust': /^(auto|none|100%)$/,
  'text-stroke': /^0(px)?\b/,
  'text-stroke-width': /^0(px)?$/,
  'text-underline-offset': /^(auto|[0-8](\.\d+)?px|0|0?\.[1-3]\d*em)$/,
  transform: noMove,
  translate: /^(none|0(px)?( 0(px)?)*)$/,
  'unicode-bidi': /^(normal|embed|isolate|plaintext|-webkit-isolate|-webkit-plaintext)$/,
  'vertical-align':
    /^(baseline|sub|super|text-top|text-bottom|middle|top|bottom|-?(1?\d|\d?\.\d+)(px|pt|%)?|-?0?\.[1-4]\d*em)$/,
  'word-spacing': /^(normal|-?[0-2](\.\d+)?(px|pt)|0|\d{1,2}(px|pt)|-?0?\.[0-2]\d*em)$/,
  'writing-mode': /^(horizontal-tb|lr(-tb)?|rl(-tb)?)$/,
  zoom: /^(normal|1|100%|reset)$/,
})

/** As wide as to push away what stands in it. */
export const longBorder =
  /(?<![\d.])\d{3,}(\.\d+)?(px|pt|pc)|\d{2,}(\.\d+)?(r?em|in|cm|v[hwib]|v?min|v?max)|\(/
