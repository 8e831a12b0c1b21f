// Search finds guides before tables, measurements and pages for developers.
const GUIDES = /^(howto|tutorials|library|nodes|before_first_torque|safety)/;
const OTHERS = /^(benchmarks|results|architecture|compiler|execution|notes|gallery|glossary)/;

var Scorer = {
  score: ([page, , , , score]) => score + 5 * (GUIDES.test(page) - OTHERS.test(page)),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
