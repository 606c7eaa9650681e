'use strict'

const hdr = require('hdr-histogram-js')
const { addPercentiles, histAsObj, percentiles } = require('hdr-histogram-percentiles-obj')

const encodeHist = (histogram) => hdr.encodeIntoCompressedBase64(histogram)
const decodeHist = (text) => text ? hdr.decodeFromCompressedBase64(text) : null

module.exports = { addPercentiles, decodeHist, encodeHist, histAsObj, percentiles }
