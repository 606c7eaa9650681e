'use strict'

const packageFile = require('../../../package.json')
const pageAssets = require('./assets')
const { html, scriptData, verbatim } = require('./markup')

/**
 * Renders a self-contained page. Its content security policy prevents the browser from loading or executing anything
 * else.
 *
 * @param {object} page
 * @param {string} page.title
 * @param {string} page.kind the kind of report, in two or three words
 * @param {Markup} page.lead under the title
 * @param {object[]} page.parts in order; each is `{ markup, charts }`, or empty
 * @param {Array<[string, string]>} page.words terms explained at the end
 * @returns {string}
 */
function renderPage ({ title, kind, lead, parts, words }) {
  const shownParts = parts.filter(Boolean)
  const charts = shownParts.flatMap((part) => part.charts ?? [])
  const { style, script, library, policy } = pageAssets({ hasFlame: charts.some(({ flame }) => flame) })
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="${packageFile.name} ${packageFile.version}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${verbatim(style)}</style>
</head>
<body>
<header>
<div class="brand"><b>Cannonade</b> ${kind}</div>
<h1>${title}</h1>
${lead}
</header>
<main>
${shownParts.map((part) => part.markup)}
</main>
<footer>
<dl>
${words.map(([term, meaning]) => html`<dt>${term}</dt><dd>${meaning}</dd>\n`)}</dl>
<div>Made by ${packageFile.name} ${packageFile.version}</div>
</footer>
<script type="application/json" id="charts">${scriptData(charts)}</script>
${library === null ? '' : html`<script>${verbatim(library)}</script>\n`}<script>${verbatim(script)}</script>
</body>
</html>
`.toString()
}

module.exports = renderPage
