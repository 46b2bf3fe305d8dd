//! The pictures, as SVG: offered load and goodput in each second, and layers.

use std::error::Error;

use plotters::prelude::*;

use crate::{Record, Scenario};

/// A line of the picture: its label and the run.
pub type Line<'a> = (&'a str, &'a Record);

/// Narrow, with large text, so that it can be read on a telephone.
const SIZE: (u32, u32) = (640, 620);
const TITLE: (&str, u32) = ("sans-serif", 22);
const TEXT: (&str, u32) = ("sans-serif", 20);

/// One colour for each of the three lines; they differ in brightness too.
const COLOURS: [RGBColor; 3] = [RGBColor(213, 94, 0), RGBColor(0, 114, 178), RGBColor(40, 40, 40)];
const WIDTHS: [u32; 3] = [2, 4, 1];
const FAULT: RGBColor = RGBColor(235, 235, 235);

/// Draws up to three runs of the same load: above what they offer the server in each
/// second, below what is answered in time. The text is the same on every machine.
///
/// # Errors
///
/// Those of plotters.
pub fn draw(scenario: &Scenario, lines: &[Line<'_>]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let (above, below) = root.split_vertically(SIZE.1 / 2);
        let capacity = scenario.capacity;
        let title = "Attempts offered per second";
        // Between a storm and the load that causes it there is room, or else below the load.
        let highest = lines.iter().flat_map(|(_, record)| record.offered()).max();
        let is_storm = highest.is_some_and(|offered| *offered > 2 * scenario.capacity);
        let legend = Some(if is_storm {
            SeriesLabelPosition::MiddleRight
        } else {
            SeriesLabelPosition::LowerRight
        });
        panel(&above, scenario, title, Record::offered, lines, legend)?;
        let title = format!("Calls answered per second (the server can do {capacity})");
        panel(&below, scenario, &title, Record::goodput, lines, None)?;
        root.present()?;
    }
    Ok(within_the_page(&svg))
}

/// A point of the picture of layers: their number, and the attempts at the dependency for
/// each call at the top, without and with a budget in each.
pub type Point = (u32, f64, f64);

/// A figure of a point.
type Column = fn(&Point) -> f64;

/// Draws the attempts of each call over the number of layers.
///
/// # Errors
///
/// Those of plotters.
pub fn draw_layers(points: &[Point]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (SIZE.0, SIZE.1 * 2 / 3)).into_drawing_area();
        root.fill(&WHITE)?;
        let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
        let last = points.iter().map(|point| point.0).max().unwrap_or(1);
        let mut chart = ChartBuilder::on(&root)
            .caption("Attempts at a dead dependency for each call", TITLE)
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(62)
            .build_cartesian_2d(0.8..f64::from(last) + 0.3, 0.0..most * 1.15)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(last as usize)
            .x_label_formatter(&|layers| format!("{layers:.0}"))
            .y_labels(6)
            .y_label_formatter(&|attempts| format!("{attempts:.0}"))
            .label_style(TEXT)
            .light_line_style(TRANSPARENT)
            .x_desc("layers of services that retry")
            .draw()?;
        let series: [(&str, Column); 2] =
            [("without budgets", |point| point.1), ("with a budget in each", |point| point.2)];
        for (index, (label, of)) in series.into_iter().enumerate() {
            let style = COLOURS[index].stroke_width(WIDTHS[index]);
            let line = points.iter().map(|point| (f64::from(point.0), of(point)));
            chart
                .draw_series(LineSeries::new(line.clone(), style))?
                .label(label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
            // The figure stands above its point, and beside the line that rises from it.
            let raised = most * [0.13, 0.085][index];
            let figure = |y: f64| if y < 2.0 { format!("{y:.3}") } else { format!("{y:.0}") };
            chart.draw_series(
                line.map(|(x, y)| Text::new(figure(y), (x - 0.03, y + raised), TEXT)),
            )?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .label_font(TEXT)
            .draw()?;
        root.present()?;
    }
    Ok(within_the_page(&svg))
}

/// A page that is narrower than the picture shows it smaller.
fn within_the_page(svg: &str) -> String {
    svg.replacen("<svg ", "<svg style=\"max-width:100%;height:auto\" ", 1)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn panel(
    area: &Area<'_>,
    scenario: &Scenario,
    title: &str,
    of: fn(&Record) -> &[u64],
    lines: &[Line<'_>],
    legend: Option<SeriesLabelPosition>,
) -> Result<(), Box<dyn Error>> {
    let highest = lines.iter().flat_map(|(_, record)| of(record)).max().copied().unwrap_or(0);
    let top = highest.max(scenario.capacity) * 11 / 10;
    let mut chart = ChartBuilder::on(area)
        .caption(title, TITLE)
        .margin(12)
        .x_label_area_size(48)
        .y_label_area_size(62)
        .build_cartesian_2d(0..scenario.seconds, 0..top)?;

    let fault = Scenario::FAULT.start / Scenario::SECOND..Scenario::FAULT.end / Scenario::SECOND;
    let corners = [(fault.start, top), (fault.end, 0)];
    chart.draw_series([Rectangle::new(corners, FAULT.filled())])?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .y_labels(6)
        .label_style(TEXT)
        .light_line_style(TRANSPARENT)
        .x_desc("seconds (grey: the server's fault)")
        .draw()?;
    for (index, (label, record)) in lines.iter().enumerate() {
        let style = COLOURS[index % 3].stroke_width(WIDTHS[index % 3]);
        let points = (0..).zip(of(record).iter().copied());
        chart
            .draw_series(LineSeries::new(points, style))?
            .label(*label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
    }
    if let Some(position) = legend {
        chart.configure_series_labels().position(position).label_font(TEXT).draw()?;
    }
    Ok(())
}
