/** The properties of CSS by which no text is hidden, whatever their value is, as long as those that are looked at say nothing odd. */

const families = [
  // What stands where in its box, and in which order.
  'align-.*|justify-.*|place-.*|-webkit-(align|justify)-.*|-webkit-box-.*|(-webkit-)?flex-(grow|shrink|wrap|line-count)|clear|caption-side|object-(fit|position)|reading-.*|ruby-.*|-webkit-ruby-position',
  // How letters are drawn and lines are broken.
  'font-(kerning|language-override|optical-sizing|palette|feature-settings|stretch|style|synthesis.*|variant.*|variation-settings|weight)|-webkit-font-.*|hyphen.*|hyphens|-webkit-hyphenate-character|(-webkit-)?line-break|word-break|word-wrap|overflow-wrap|text-(align.*|anchor|autospace|justify|overflow|rendering|spacing-trim|transform|wrap-style|box-edge)|text-decoration-(color|line|skip-ink|style)|-webkit-text-decorations-in-effect|text-underline-position|(-webkit-)?text-emphasis-(color|position)|-webkit-text-stroke-color|direction|-webkit-locale|widows|orphans|quotes|list-style.*|math-.*|baseline-source|dominant-baseline|alignment-baseline',
  // Tables, pages and columns, where there are none.
  'empty-cells|(page-)?break-.*|-webkit-column-(break|rule|span).*|column-(fill|rule.*|span)|row-rule.*|rule.*|page.*|size',
  // What a background is besides its colour and its picture.
  'background-(attachment|origin|position-[xy])|-webkit-background-origin|(-webkit-)?box-decoration-break|corner-.*|image-.*',
  // What only says how something happens that must be asked for elsewhere.
  '(-webkit-)?animation-(composition|delay|direction|duration|fill-mode|iteration-count|play-state|range.*|timeline|timing-function|trigger)|(-webkit-)?transition.*|timeline-.*|trigger-scope|view-.*|scroll-timeline.*|(-webkit-)?transform-(box|origin.*|style)|(-webkit-)?perspective-origin.*|(-webkit-)?backface-visibility|offset-(anchor|distance|rotate)|(-webkit-)?mask-(clip|composite|mode|origin|position.*|repeat|size|type|box-image-(outset|repeat|slice|width))|(-webkit-)?shape-(image-threshold|margin|rendering)|contain-intrinsic-.*|container-name|overflow-(anchor|clip-margin)|interpolate-size|will-change',
  // Where something that is out of its place is put: that it is, is looked at.
  'anchor-.*|position-.*',
  // Pictures, which are not read.
  'buffered-rendering|clip-rule|color-(interpolation.*|rendering)|cx|cy|d|fill.*|flood-.*|lighting-color|marker.*|paint-order|r|rx|ry|stop-.*|stroke.*|vector-effect|x|y',
  // What a person does with a page.
  'outline-(color|style)|accent-color|(-webkit-)?app-region|(-webkit-)?appearance|caret-.*|cursor|field-sizing|frame-sizing|interactivity|interest-.*|overscroll-.*|pointer-events|resize|scroll-(axis|behavior|initial|margin|marker|padding|snap|target).*|scrollbar-.*|speak|touch-action|(-webkit-)?user-.*|-webkit-tap-highlight-color|window-drag',
  // Others.
  'counter-.*|dynamic-range-limit|forced-color-adjust|isolation|(-webkit-)?print-color-adjust',
]

export const harmless = new RegExp(`^(${families.join('|')})$`)
