"""Checks of a page in Chromium: contrast, names and roles in the accessibility tree, headings, focus order, sizes of targets
(WCAG 2.2, level AA). Each function returns a list of findings as texts; an empty list is a page without any."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

# The roles of the accessibility tree that need a name.
NAMED_ROLES = {
    "button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "slider", "spinbutton", "menuitem",
    "tab", "dialog", "alertdialog", "img", "image", "figure", "table", "grid", "region", "form", "navigation", "radiogroup", "group",
}
# A group without a name is only a container, unless it is one of a form.
OPTIONAL_ROLES = {"group", "form", "region", "figure", "table", "grid"}
# The maximum number of stops of the key Tab on a page.
STOPS_MAX = 400

COLORS = r"""
const parsed = color => {
    const parts = (color.match(/[\d.]+(e-?\d+)?/g) || [0, 0, 0]).map(Number)
    const scale = color.startsWith('color(') ? 255 : 1
    return { r: parts[0] * scale, g: parts[1] * scale, b: parts[2] * scale, a: parts.length > 3 ? parts[3] : 1 }
}
const over = (top, below) => ({
    r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1 })
const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? { r: 18, g: 18, b: 18, a: 1 } : { r: 255, g: 255, b: 255, a: 1 }
const ground = element => {
    const layers = []
    for (let e = element; e; e = e.parentElement) {
        layers.push(parsed(getComputedStyle(e).backgroundColor))
        if (layers[layers.length - 1].a === 1) break
    }
    return layers.reverse().reduce((below, top) => over(top, below), canvas)
}
const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
}
const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05) }
const isShown = element => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
const named = element => element.tagName.toLowerCase() + (element.id ? '#' + element.id : '') + (element.className && element.className.trim ? '.' + element.className.trim().replace(/\s+/g, '.') : '')
"""

WEAK_TEXTS = COLORS + r"""
const found = new Map()
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
while (walker.nextNode()) {
    const text = walker.currentNode, element = text.parentElement
    if (!text.data.trim() || !isShown(element) || element.closest('[aria-hidden=true], :disabled, [aria-disabled=true], noscript, script, style, .leaflet-tile-pane')) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    if (!range.getClientRects().length) continue
    const style = getComputedStyle(element)
    // Text of SVG is drawn with its fill.
    const color = parsed(element instanceof SVGElement ? style.fill : style.color)
    let opacity = 1
    for (let e = element; e; e = e.parentElement) opacity *= Number(getComputedStyle(e).opacity)
    const behind = ground(element), size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
    const ratio = contrast(over({ ...color, a: color.a * opacity }, behind), behind)
    if (ratio < (isLarge ? 3 : 4.5)) found.set(named(element), `${ratio.toFixed(2)} ${named(element)}: ${text.data.trim().slice(0, 40)}`)
}
for (const field of document.querySelectorAll('input[placeholder], textarea[placeholder]')) {
    if (!isShown(field) || field.disabled) continue
    const ratio = contrast(over(parsed(getComputedStyle(field, '::placeholder').color), ground(field)), ground(field))
    if (ratio < 4.5) found.set(named(field), `${ratio.toFixed(2)} placeholder of ${named(field)}`)
}
return [...found.values()]
"""

WEAK_EDGES = COLORS + r"""
return [...document.querySelectorAll('input:not([type=checkbox]):not([type=radio]), select, textarea')]
    .filter(e => isShown(e) && !e.disabled && e.offsetParent && !e.closest('.CodeMirror')).map(e => {
        const style = getComputedStyle(e), behind = ground(e.parentElement), border = over(parsed(style.borderTopColor), behind)
        const best = Math.max(parseFloat(style.borderTopWidth) ? contrast(border, behind) : 1, contrast(ground(e), behind))
        return best < 3 ? `${best.toFixed(2)} edge of ${named(e)}` : null
    }).filter(Boolean)
"""

SMALL_TARGETS = COLORS + r"""
// WCAG 2.2, 2.5.8: 24 by 24 pixels, except links in a sentence and targets with enough space around their centres.
const targets = [...document.querySelectorAll('button, input, select, textarea, a[href], summary, [role=button], [tabindex="0"]')]
    .filter(e => isShown(e) && e.getClientRects().length && !e.closest('.CodeMirror, .leaflet-control-attribution'))
    .map(e => {
        // A click on the label of a box is a click on the box.
        const label = (e.type === 'checkbox' || e.type === 'radio') && e.closest('label')
        return { e, box: (label || e).getBoundingClientRect() }
    }).filter(({ box }) => box.width > 1 && box.height > 1)
const centre = box => [box.x + box.width / 2, box.y + box.height / 2]
const isNear = (box, point) => {
    const dx = Math.max(box.left - point[0], 0, point[0] - box.right), dy = Math.max(box.top - point[1], 0, point[1] - box.bottom)
    return Math.hypot(dx, dy) < 12
}
return targets.filter(({ box }) => box.width < 24 || box.height < 24).filter(({ e, box }) => {
    const isInSentence = e.matches('a, button.link') && getComputedStyle(e).display.startsWith('inline') && e.parentElement.textContent.trim() !== e.textContent.trim()
    return !isInSentence && targets.some(other => other.e !== e && !other.e.contains(e) && !e.contains(other.e) && isNear(other.box, centre(box)))
}).map(({ e, box }) => `${named(e)} is ${Math.round(box.width)} by ${Math.round(box.height)}: ${(e.textContent || e.getAttribute('aria-label') || '').trim().slice(0, 30)}`)
"""

STRUCTURE = r"""
const found = []
const shown = selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility({ visibilityProperty: true }) && !e.closest('[aria-hidden=true]'))
const dialog = document.querySelector('dialog[open]')
const headings = shown('h1, h2, h3, h4, h5, h6, [role=heading]').filter(h => !dialog || !dialog.contains(h)).map(h => Number(h.getAttribute('aria-level') || h.tagName[1]))
if (headings.filter(level => level === 1).length !== 1) found.push(`${headings.filter(level => level === 1).length} headings of level 1`)
headings.forEach((level, i) => { if (i && level > headings[i - 1] + 1) found.push(`a heading of level ${level} after one of level ${headings[i - 1]}`) })
if (shown('main').length !== 1) found.push('not one main')
if (!document.documentElement.lang) found.push('no language')
if (!document.title.trim()) found.push('no title')
const ids = [...document.querySelectorAll('[id]')].map(e => e.id)
for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) found.push(`two elements have the id ${id}`)
for (const attribute of ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for'])
    for (const e of shown(`[${attribute}]`))
        for (const id of e.getAttribute(attribute).split(/\s+/).filter(Boolean)) if (!document.getElementById(id)) found.push(`${attribute} of ${e.tagName} names ${id}, which is absent`)
for (const table of shown('table')) if (!table.querySelector('th')) found.push('a table without headers')
for (const field of shown('input, select, textarea')) if (!field.closest('.CodeMirror') && field.type !== 'hidden' && !field.labels?.length && !field.getAttribute('aria-label') && !field.getAttribute('aria-labelledby')) found.push(`a field without a label: ${field.outerHTML.slice(0, 80)}`)
for (const e of document.querySelectorAll('[tabindex]')) if (e.tabIndex > 0) found.push('a positive tabindex')
return found
"""

# The focused element, whether it is visible, has a mark of its focus, and where it is in the document.
FOCUS = COLORS + r"""
const e = document.activeElement
if (!e || e === document.body || e === document.documentElement) return null
const all = [...document.querySelectorAll('*')], box = e.getBoundingClientRect(), style = getComputedStyle(e)
const isInside = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth
const x = Math.min(Math.max(box.x + box.width / 2, 1), innerWidth - 2), y = Math.min(Math.max(box.y + box.height / 2, 1), innerHeight - 2)
const top = document.elementFromPoint(x, y)
const editor = e.closest('.CodeMirror')
// An element of SVG has no outline: a shape in it has the colour.
const isMarked = shape => parseFloat(getComputedStyle(shape).strokeWidth) >= 2 && getComputedStyle(shape).stroke !== 'none' &&
    contrast(over(parsed(getComputedStyle(shape).stroke), ground(e.closest('svg').parentElement)), ground(e.closest('svg').parentElement)) >= 3
const hasMark = editor || e instanceof SVGElement && [...e.querySelectorAll('rect, circle, path')].some(isMarked) ? true : (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 &&
    contrast(over(parsed(style.outlineColor), ground(e.parentElement)), ground(e.parentElement)) >= 3)
return { place: all.indexOf(e), name: named(e) + ' ' + (e.getAttribute('aria-label') || e.textContent || '').trim().slice(0, 30),
    isSeen: Boolean(editor) || (isInside && Boolean(top) && (e.contains(top) || top.contains(e) || Boolean(top.closest('label')?.contains(e)))), hasMark }
"""


def weak_texts(browser):
    """Texts with a contrast below 4.5:1, or 3:1 if they are large (1.4.3)."""
    return browser.execute_script(WEAK_TEXTS)


def weak_edges(browser):
    """Fields whose edge has a contrast below 3:1 (1.4.11)."""
    return browser.execute_script(WEAK_EDGES)


def small_targets(browser):
    """Targets of a pointer below 24 by 24 pixels with another target close to them (2.5.8)."""
    return browser.execute_script(SMALL_TARGETS)


def structure(browser):
    """Headings, landmarks, ids, labels, tables (1.3.1, 2.4.2, 3.1.1, 4.1.2)."""
    return browser.execute_script(STRUCTURE)


def nameless(browser):
    """Controls and pictures without a name in the accessibility tree (4.1.2, 1.1.1)."""
    found = []
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    for node in nodes:
        role = node.get("role", {}).get("value", "")
        name = node.get("name", {}).get("value", "").strip()
        if node.get("ignored") or role not in NAMED_ROLES or name:
            continue
        if role in OPTIONAL_ROLES:
            continue
        found.append(f"a node with the role {role} has no name")
    return found


def focus_order(browser):
    """The stops of the key Tab that are out of order, hidden, or without a mark (2.4.3, 2.4.7, 2.4.11), and a trap (2.1.2)."""
    found, stops = [], []
    # The order begins at the first control of the page, or of the open dialog.
    browser.execute_script("""
        const first = document.querySelector('dialog[open]') || document.body
        window.scrollTo(0, 0)
        first.querySelector('a[href], button, input').focus({ focusVisible: true })""")
    stops.append(browser.execute_script(FOCUS))
    while len(stops) < STOPS_MAX:
        ActionChains(browser).send_keys(Keys.TAB).perform()
        stop = browser.execute_script(FOCUS)
        if stop is None or stops and stop["place"] == stops[0]["place"]:
            break
        if stops and stop["place"] == stops[-1]["place"]:
            found.append(f"the key Tab does not leave {stop['name']}")
            break
        if stops and stop["place"] < stops[-1]["place"]:
            # The end of a dialog leads to its beginning, and the end of the page to the browser.
            if any(stop["place"] == earlier["place"] for earlier in stops):
                break
            found.append(f"{stop['name']} comes after {stops[-1]['name']}")
        if not stop["isSeen"]:
            found.append(f"{stop['name']} is hidden while it has the focus")
        if not stop["hasMark"]:
            found.append(f"{stop['name']} has no mark of its focus")
        stops.append(stop)
    return found


def findings(browser):
    """All findings of a page except those of the focus, which takes longer."""
    checks = [weak_texts, weak_edges, small_targets, structure, nameless]
    return [f"{check.__name__}: {finding}" for check in checks for finding in check(browser)]
